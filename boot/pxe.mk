# SPDX-License-Identifier: MIT
# okram.0: GRUB as a PXE program by BIOS, which loads okram.lkrn from the folder that it came from. The
# kernel is not part of it: GRUB's core ends at 480 KiB.

PXE         := $(BUILD)/pxe
PXE_MODULES := pxe tftp net memdisk tar normal configfile linux boot echo test ls cat help halt reboot terminal smbios tr loopback

$(PXE)/memdisk.tar: boot/pxe/grub.cfg
	@mkdir -p $(@D)
	tar --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 \
	    -C boot/pxe -cf $@ grub.cfg

$(BUILD)/okram.0: boot/pxe/early.cfg $(PXE)/memdisk.tar boot/pxe.mk $$(GRUB_PC)/moddep.lst
	grep -v '^#' $< > $(PXE)/early.cfg
	$(GRUB_MKIMAGE) -O i386-pc-pxe -d $(GRUB_PC) -p '(pxe)' -c $(PXE)/early.cfg \
	    -m $(PXE)/memdisk.tar -o $@ $(PXE_MODULES)
