# SPDX-License-Identifier: MIT
# A small Linux that prints its memory map and tests its RAM: Debian's kernel for virtual
# machines, and BusyBox with a memory test as its initial file system. GRUB comes in guest.py.

LINUX := $(BUILD)/linux

$(LINUX)/vmlinuz: tests/system/linux/fetch-file
	@mkdir -p $(@D)
	$< linux-image-cloud-amd64 './boot/vmlinuz-*' $@ || \
	    $< linux-image-virtual './boot/vmlinuz-*' $@ # Ubuntu's

# Not installed: the package excludes busybox, which a host may need to start.
$(LINUX)/busybox: tests/system/linux/fetch-file
	@mkdir -p $(@D)
	$< busybox-static './*bin/busybox' $@ # in /bin, from Debian 13 on in /usr/bin
	chmod +x $@

$(LINUX)/sweep: tests/system/linux/sweep.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) -static $< -o $@

$(LINUX)/initrd: tests/system/linux/init $(LINUX)/busybox $(LINUX)/sweep
	rm -rf $(LINUX)/root
	mkdir -p $(LINUX)/root/bin $(LINUX)/root/proc
	cp $(LINUX)/busybox $(LINUX)/sweep $(LINUX)/root/bin
	cp $< $(LINUX)/root/init
	cd $(LINUX)/root && find . | sort | cpio --create --format=newc --owner=0:0 --quiet \
	    >$(abspath $@)

linux-guest: $(LINUX)/vmlinuz $(LINUX)/initrd

.PHONY: linux-guest
