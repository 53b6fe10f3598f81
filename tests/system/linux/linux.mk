# SPDX-License-Identifier: MIT
# A small Linux that prints its memory map and tests its RAM, or prints what pstore holds: Debian's
# kernel for virtual machines, and BusyBox with a memory test as its initial file system. GRUB comes
# in guest.py.

LINUX := $(BUILD)/linux

# Together: a module loads into its own kernel only. Ubuntu has modules in another package: there the
# test of pstore is skipped.
$(LINUX)/vmlinuz $(LINUX)/efi-pstore.ko &: tests/system/linux/fetch-file
	@mkdir -p $(LINUX)
	if $< linux-image-cloud-amd64 './boot/vmlinuz-*' $(LINUX)/vmlinuz; then \
	    $< linux-image-cloud-amd64 './*/efi-pstore.ko*' $(LINUX)/packed.ko && \
	    xz --decompress --stdout --force $(LINUX)/packed.ko >$(LINUX)/efi-pstore.ko; \
	else \
	    $< linux-image-virtual './boot/vmlinuz-*' $(LINUX)/vmlinuz && \
	    : >$(LINUX)/efi-pstore.ko; \
	fi

# Not installed: the package excludes busybox, which a host may need to start.
$(LINUX)/busybox: tests/system/linux/fetch-file
	@mkdir -p $(@D)
	$< busybox-static './*bin/busybox' $@ # in /bin, from Debian 13 on in /usr/bin
	chmod +x $@

$(LINUX)/sweep: tests/system/linux/sweep.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) -static $< -o $@

$(LINUX)/initrd: tests/system/linux/init tests/system/linux/show-pstore $(LINUX)/busybox \
    $(LINUX)/sweep $(LINUX)/efi-pstore.ko
	rm -rf $(LINUX)/root
	mkdir -p $(LINUX)/root/bin $(LINUX)/root/lib $(LINUX)/root/proc $(LINUX)/root/sys
	cp $(LINUX)/busybox $(LINUX)/sweep $(LINUX)/root/bin
	cp $(LINUX)/efi-pstore.ko $(LINUX)/root/lib
	cp tests/system/linux/init tests/system/linux/show-pstore $(LINUX)/root
	cd $(LINUX)/root && find . | sort | cpio --create --format=newc --owner=0:0 --quiet \
	    >$(abspath $@)

# In the order in which they are loaded: a disk, FAT, UEFI variables.
GUARD_MODULES := virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk \
                 fat vfat nls_cp437 nls_ascii nls_utf8 efivarfs

$(LINUX)/guard-modules: $(LINUX)/vmlinuz tests/system/linux/fetch-modules
	@rm -rf $@.new
	tests/system/linux/fetch-modules $< $@.new $(GUARD_MODULES)
	@echo $(GUARD_MODULES) >$@.new/order
	@rm -rf $@ && mv $@.new $@

linux-guest: $(LINUX)/vmlinuz $(LINUX)/initrd

.PHONY: linux-guest
