{# SPDX-License-Identifier: MIT #}
{# Without it a click still selects a line, to copy it by hand. #}
for (const button of document.querySelectorAll("button[data-for]")) {
  button.hidden = false;
  button.onclick = async () => {
    const line = document.getElementById(button.dataset.for);
    const label = button.textContent;
    try { await navigator.clipboard.writeText(line.textContent); button.textContent = "copied"; }
    catch { getSelection().selectAllChildren(line); button.textContent = "selected: press Ctrl-C"; }
    setTimeout(() => { button.textContent = label; }, 2000);
  };
}
