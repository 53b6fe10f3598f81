# SPDX-License-Identifier: MIT
# Boot loaders of Debian's packages, none of them installed: for the tests that start Linux, with the
# guard, in each of the ways that machines do; and the UEFI shell. GRUB 2.06 and 2.12 are those of
# Debian 12 and 13; grub-sid is that of Debian unstable, as vmlinuz-sid is its Linux.

LOADERS := $(BUILD)/loaders
FETCH   := tests/system/linux/fetch-file

GRUB    := ./usr/lib/grub/x86_64-efi/monolithic/grubx64.efi
SYSTEMD := ./usr/lib/systemd/boot/efi

$(LOADERS)/grub-2.06.efi: $(FETCH) | $(LOADERS)
	$< grub-efi-amd64-bin $(GRUB) $@ bookworm

$(LOADERS)/grub-2.12.efi: $(FETCH) | $(LOADERS)
	$< grub-efi-amd64-unsigned $(GRUB) $@ trixie

$(LOADERS)/grub-sid.efi: $(FETCH) | $(LOADERS)
	$< grub-efi-amd64-unsigned $(GRUB) $@ sid

# Debian's own chain under Secure Boot; Debian 11 has shim 15.8, later ones have 16.
$(LOADERS)/grub-signed.efi: $(FETCH) | $(LOADERS)
	$< grub-efi-amd64-signed ./usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed $@ bookworm

$(LOADERS)/shim-15.8.efi: $(FETCH) | $(LOADERS)
	$< shim-signed ./usr/lib/shim/shimx64.efi.signed $@ bullseye

$(LOADERS)/mokmanager-15.8.efi: $(FETCH) | $(LOADERS)
	$< shim-helpers-amd64-signed ./usr/lib/shim/mmx64.efi.signed $@ bullseye

# By BIOS: a CD, to which a menu and what it starts are added.
RESCUE := ./usr/lib/grub-rescue/grub-rescue-cdrom.iso

$(LOADERS)/grub-2.06.iso: $(FETCH) | $(LOADERS)
	$< grub-rescue-pc $(RESCUE) $@ bookworm

$(LOADERS)/grub-2.12.iso: $(FETCH) | $(LOADERS)
	$< grub-rescue-pc $(RESCUE) $@ trixie

$(LOADERS)/grub-sid.iso: $(FETCH) | $(LOADERS)
	$< grub-rescue-pc $(RESCUE) $@ sid

$(LOADERS)/vmlinuz-bookworm: $(FETCH) | $(LOADERS)
	$< linux-image-cloud-amd64 './boot/vmlinuz-*' $@ bookworm

$(LOADERS)/vmlinuz-trixie: $(FETCH) | $(LOADERS)
	$< linux-image-cloud-amd64 './boot/vmlinuz-*' $@ trixie

$(LOADERS)/vmlinuz-sid: $(FETCH) | $(LOADERS)
	$< linux-image-cloud-amd64 './usr/lib/modules/*/vmlinuz' $@ sid

$(LOADERS)/systemd-boot.efi: $(FETCH) | $(LOADERS)
	$< systemd-boot-efi $(SYSTEMD)/systemd-bootx64.efi $@ bookworm

$(LOADERS)/systemd-stub.efi: $(FETCH) | $(LOADERS)
	$< systemd-boot-efi $(SYSTEMD)/linuxx64.efi.stub $@ bookworm

$(LOADERS)/refind.efi: $(FETCH) | $(LOADERS)
	$< refind ./usr/share/refind/refind/refind_x64.efi $@ bookworm

$(LOADERS)/xen.efi: $(FETCH) | $(LOADERS)
	$< xen-hypervisor-4.17-amd64 ./boot/xen-4.17-amd64.efi $@ bookworm

$(LOADERS)/pxelinux.0: $(FETCH) | $(LOADERS)
	$< pxelinux ./usr/lib/PXELINUX/pxelinux.0 $@ bookworm

$(LOADERS)/ldlinux.c32: $(FETCH) | $(LOADERS)
	$< syslinux-common ./usr/lib/syslinux/modules/bios/ldlinux.c32 $@ bookworm

$(LOADERS)/memdisk: $(FETCH) | $(LOADERS)
	$< syslinux-common ./usr/lib/syslinux/memdisk $@ bookworm

$(LOADERS)/shell.efi: $(FETCH) | $(LOADERS)
	$< efi-shell-x64 ./usr/share/efi-shell-x64/shellx64.efi $@ trixie

# Of iPXE as the ROM of QEMU's card, and as a program: that of Debian 13 reads UEFI variables.
$(LOADERS)/ipxe-virtio.rom: $(FETCH) | $(LOADERS)
	$< ipxe-qemu ./usr/share/qemu/efi-virtio.rom $@ trixie

$(LOADERS)/ipxe.efi: $(FETCH) | $(LOADERS)
	$< ipxe ./usr/lib/ipxe/snponly.efi $@ trixie

$(LOADERS):
	@mkdir -p $@

loaders: $(addprefix $(LOADERS)/,grub-2.06.efi grub-2.12.efi grub-signed.efi shim-15.8.efi mokmanager-15.8.efi \
             systemd-boot.efi systemd-stub.efi \
             refind.efi xen.efi shell.efi pxelinux.0 ldlinux.c32 memdisk \
             ipxe-virtio.rom ipxe.efi)
	@$(MAKE) --no-print-directory releases || echo "the tests of Debian's releases will be skipped"

releases: $(addprefix $(LOADERS)/,grub-sid.efi grub-2.06.iso grub-2.12.iso grub-sid.iso \
              vmlinuz-bookworm vmlinuz-trixie vmlinuz-sid)

.PHONY: loaders releases
