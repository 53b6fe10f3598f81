# SPDX-License-Identifier: MIT
# okram.iso: one image for CD and USB stick, BIOS and UEFI.
#
#   BIOS   El Torito: cdboot.img and GRUB's core in one file. Stick: boot_hybrid.img in the MBR
#          loads the same core. GRUB then loads /boot/okram.elf by Multiboot2.
#   UEFI   a FAT partition behind the ISO 9660 file system, which El Torito's EFI entry points to, too. It is
#          the only one in the MBR, and of a type that Windows mounts (0x0c). It holds
#          okram-ia32.efi as /EFI/BOOT/BOOTIA32.EFI, okram.conf, the guard for the menu to install, and
#          as /EFI/BOOT/BOOTX64.EFI a distribution's shim, which Microsoft has signed. shim starts
#          okram.efi, as grubx64.efi, once its hash is enrolled; mmx64.efi is the program that does that.
#
# Both file systems hold the notices: NOTICE.txt and LICENSE.txt.
#
# make SHIM=none: okram.efi itself is BOOTX64.EFI.

GRUB_MKIMAGE := grub-mkimage
GRUB_PC      := /usr/lib/grub/i386-pc
XORRISO      := xorriso

# What the menu and its entries use, built in: no module is read from the image.
GRUB_MODULES := biosdisk iso9660 fat part_msdos search search_fs_file configfile normal multiboot2 \
                boot echo test ls cat help read halt reboot minicmd serial terminal

# The programs, and 500 reports of 70 KiB. Clusters of one sector: it has to be FAT32.
ESP_KIB     := 49152
ESP_CLUSTER := 1

# Where the package shim-signed has its programs; MokManager is mmx64.efi.signed on Debian.
# On Ubuntu the name of shim is a link that no package owns.
SHIM       ?= /usr/lib/shim
SHIM_FILE  := $(or $(realpath $(SHIM)/shimx64.efi.signed),$(SHIM)/shimx64.efi.signed)
SHIM_X64   := $(SHIM_FILE)
MOKMANAGER := $(firstword $(wildcard $(SHIM)/mmx64.efi.signed) $(SHIM)/mmx64.efi)
ENROLL     ?= ENROLL-THIS-okram.efi=$(LOADERS)/okram.efi ENROLL-GUARD.efi=$(LOADERS)/okram-guard.efi

ISO := $(BUILD)/iso

# iso/sign.mk makes another image, of signed programs.
LOADERS := $(BUILD)
IMAGE   := $(BUILD)/okram.iso

ifeq ($(SHIM),none)
SHIM_PARTS :=
BOOT_X64 := EFI/BOOT/BOOTX64.EFI=$(LOADERS)/okram.efi
else
SHIM_PARTS := $(SHIM_FILE) $(MOKMANAGER)
BOOT_X64 := EFI/BOOT/BOOTX64.EFI=$(SHIM_X64) EFI/BOOT/grubx64.efi=$(LOADERS)/okram.efi \
            EFI/BOOT/mmx64.efi=$(MOKMANAGER) $(ENROLL)
endif

# Where each file lies on the image, and which it is.
ISO_FILES := boot/okram.elf=$(BUILD)/stripped.elf \
             boot/okram.copy=$(BUILD)/okram.copy \
             boot/grub/grub.cfg=iso/grub.cfg \
             boot/grub/eltorito.img=$(ISO)/eltorito.img \
             $(BOOT_X64) \
             EFI/BOOT/BOOTIA32.EFI=$(LOADERS)/okram-ia32.efi \
             EFI/BOOT/okram.conf=iso/okram.conf \
             EFI/okram/okram-guardx64.efi=$(LOADERS)/okram-guard.efi \
             README.txt=packaging/stick.txt \
             NOTICE.txt=$(ISO)/NOTICE.txt \
             LICENSE.txt=LICENSE
ESP_FILES := $(filter-out boot/%,$(ISO_FILES))
ESP_TOP   := $(filter-out EFI/%,$(ESP_FILES)) # copied first, in their order: MokManager lists them so

# The same sources give the same bytes: every date is SOURCE_DATE_EPOCH, else that of the last commit.
ISO_EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null),946684800)
DATED     := TZ=UTC SOURCE_DATE_EPOCH=$(ISO_EPOCH)

iso_from = $(lastword $(subst =, ,$(1)))
iso_to   = $(firstword $(subst =, ,$(1)))

copy_to_esp = $(foreach f,$(1),$(DATED) mcopy -i $@ $(call iso_from,$(f)) ::/$(call iso_to,$(f)) &&) true

$(SHIM_FILE) $(MOKMANAGER):
	$(if $(wildcard $@),,$(error $@ is missing: install the package shim-signed, or build without it: make SHIM=none))

# Written only if the list has changed, as by SHIM=none.
$(ISO)/files: FORCE
	$(call write_if_changed,$(ISO_FILES))

$(ISO)/date: FORCE
	$(call write_if_changed,$(ISO_EPOCH))

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
           /usr/include/bearssl.h $(SHIM_PARTS)

$(ISO)/NOTICE.txt: iso/notices.sh NOTICE $(wildcard iso/licenses/*.txt) $(CARRIED) $(ISO)/files
	@mkdir -p $(@D)
	iso/notices.sh $(CARRIED) > $@

# Files that the kernel writes reports into, in place. They are marked where they are.
RUN_FILES := $(BUILD)/run_files

$(RUN_FILES): iso/run_files.c boot/check/image_check.c $(BUILD)/libokram.a
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(filter %.c %.a,$^) -o $@

$(ISO)/esp.img: $(foreach f,$(ESP_FILES),$(call iso_from,$(f))) iso/iso.mk $(ISO)/files $(ISO)/date \
                $(RUN_FILES) $(VIEWER) $(BUILD)/stripped.elf
	@mkdir -p $(@D)
	rm -f $@
	truncate -s $(ESP_KIB)K $@
	$(DATED) mformat -i $@ -F -c $(ESP_CLUSTER) -v OKRAM -N 6f6b7261 ::
	$(call copy_to_esp,$(ESP_TOP))
	$(DATED) mmd -i $@ ::/EFI ::/EFI/BOOT ::/EFI/okram
	$(call copy_to_esp,$(filter-out $(ESP_TOP),$(ESP_FILES)))
	rm -rf $(ISO)/okram
	mkdir $(ISO)/okram
	$(RUN_FILES) make $(VIEWER) $(ISO)/okram
	$(DATED) mmd -i $@ ::/okram
	$(DATED) mcopy -i $@ $(ISO)/okram/run-*.html $(ISO)/okram/next.cfg ::/okram
	$(RUN_FILES) mark $(BUILD)/stripped.elf $@

$(IMAGE): $(foreach f,$(ISO_FILES),$(call iso_from,$(f))) $(ISO)/esp.img
	$(DATED) $(XORRISO) -report_about WARNING -as mkisofs -quiet -o $@ \
	    -r -J -V OKRAM --set_all_file_dates =$(ISO_EPOCH) \
	    -c boot/grub/boot.cat -b boot/grub/eltorito.img \
	    -no-emul-boot -boot-load-size 4 -boot-info-table --grub2-boot-info \
	    --grub2-mbr $(GRUB_PC)/boot_hybrid.img --mbr-force-bootable \
	    -partition_offset 16 -append_partition 1 0x0c $(ISO)/esp.img \
	    -eltorito-alt-boot -e --interval:appended_partition_1:all:: -no-emul-boot \
	    -graft-points $(ISO_FILES)
