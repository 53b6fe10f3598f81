# SPDX-License-Identifier: MIT
# okram.iso: one image for CD and USB stick, BIOS and UEFI.
#
#   BIOS   El Torito: cdboot.img and GRUB's core in one file. Stick: boot_hybrid.img in the MBR
#          loads the same core. GRUB then loads /boot/okram.elf by Multiboot2.
#   UEFI   a FAT partition behind the ISO 9660 file system, which El Torito's EFI entry and the MBR
#          (type 0xef) both point to. It holds okram.efi as /EFI/BOOT/BOOTX64.EFI, okram-ia32.efi as
#          /EFI/BOOT/BOOTIA32.EFI, and okram.conf; and the guard, for the menu to install.
#
# Both file systems hold the notices: NOTICE.txt and LICENSE.txt.

GRUB_MKIMAGE := grub-mkimage
GRUB_PC      := /usr/lib/grub/i386-pc
XORRISO      := xorriso

# What the menu and its entries use, built in: no module is read from the image.
GRUB_MODULES := biosdisk iso9660 part_msdos search search_fs_file configfile normal multiboot2 \
                boot echo test ls cat help halt reboot minicmd serial terminal

# The loaders, and a thousand reports of its three files, 40 KiB together, in clusters of 1 KiB.
ESP_KIB     := 45056
ESP_CLUSTER := 2

ISO := $(BUILD)/iso

# iso/sign.mk makes another image, of signed programs.
LOADERS := $(BUILD)
IMAGE   := $(BUILD)/okram.iso

# Where each file lies on the image, and which it is.
ISO_FILES := boot/okram.elf=$(BUILD)/stripped.elf \
             boot/okram.copy=$(BUILD)/okram.copy \
             boot/grub/grub.cfg=iso/grub.cfg \
             boot/grub/eltorito.img=$(ISO)/eltorito.img \
             EFI/BOOT/BOOTX64.EFI=$(LOADERS)/okram.efi \
             EFI/BOOT/BOOTIA32.EFI=$(LOADERS)/okram-ia32.efi \
             EFI/BOOT/okram.conf=iso/okram.conf \
             EFI/okram/okram-guardx64.efi=$(LOADERS)/okram-guard.efi \
             NOTICE.txt=$(ISO)/NOTICE.txt \
             LICENSE.txt=LICENSE
ESP_FILES := $(filter-out boot/%,$(ISO_FILES))

# The same sources give the same bytes: every date is SOURCE_DATE_EPOCH, else that of the last commit.
ISO_EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),946684800)
DATED     := TZ=UTC SOURCE_DATE_EPOCH=$(ISO_EPOCH)

iso_from = $(lastword $(subst =, ,$(1)))
iso_to   = $(firstword $(subst =, ,$(1)))

# GRUB's core knows no comments in its configuration.
$(ISO)/eltorito.img: iso/early.cfg iso/iso.mk $(GRUB_PC)/cdboot.img
	@mkdir -p $(@D)
	grep -v '^#' $< > $(ISO)/early.cfg
	$(GRUB_MKIMAGE) -O i386-pc -d $(GRUB_PC) -p /boot/grub -c $(ISO)/early.cfg \
	    -o $(ISO)/core.img $(GRUB_MODULES)
	cat $(GRUB_PC)/cdboot.img $(ISO)/core.img > $@

# What of other projects the image carries.
CARRIED := $(GRUB_PC)/cdboot.img $(EFI_LIB)/libefi.a \
           $(CONSOLE_FONTS)/Lat15-Terminus16.psf.gz /usr/include/qrcodegen/qrcodegen.h \
           /usr/include/bearssl.h

$(ISO)/NOTICE.txt: iso/notices.sh NOTICE $(wildcard iso/licenses/*.txt) $(CARRIED)
	@mkdir -p $(@D)
	iso/notices.sh $(CARRIED) > $@

$(ISO)/esp.img: $(foreach f,$(ESP_FILES),$(call iso_from,$(f))) iso/iso.mk
	@mkdir -p $(@D)
	rm -f $@
	truncate -s $(ESP_KIB)K $@
	$(DATED) mformat -i $@ -c $(ESP_CLUSTER) -v OKRAM -N 6f6b7261 ::
	$(DATED) mmd -i $@ ::/EFI ::/EFI/BOOT ::/EFI/okram
	$(foreach f,$(ESP_FILES),\
	    $(DATED) mcopy -i $@ $(call iso_from,$(f)) ::/$(call iso_to,$(f)) &&) true

$(IMAGE): $(foreach f,$(ISO_FILES),$(call iso_from,$(f))) $(ISO)/esp.img
	$(DATED) $(XORRISO) -report_about WARNING -as mkisofs -quiet -o $@ \
	    -r -J -V OKRAM --set_all_file_dates =$(ISO_EPOCH) \
	    -c boot/grub/boot.cat -b boot/grub/eltorito.img \
	    -no-emul-boot -boot-load-size 4 -boot-info-table --grub2-boot-info \
	    --grub2-mbr $(GRUB_PC)/boot_hybrid.img --mbr-force-bootable \
	    -partition_offset 16 -append_partition 2 0xef $(ISO)/esp.img \
	    -eltorito-alt-boot -e --interval:appended_partition_2:all:: -no-emul-boot \
	    -graft-points $(ISO_FILES)
