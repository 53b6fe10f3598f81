#include "executable.h"

#include <efi.h>
#include <efilib.h>

#define MEMORY_READ_ONLY 0x20000 /* EFI_MEMORY_RO; not in gnu-efi, as all below */

static EFI_GUID memory_attribute_guid = {
    0xf4560cf6, 0x40ec, 0x4b4a, { 0xa1, 0x92, 0xbf, 0x1d, 0x57, 0xd0, 0xb1, 0x89 }
};

struct memory_attribute_protocol {
    void *get;
    void *set;
    EFI_STATUS(EFIAPI *clear)
    (struct memory_attribute_protocol *this, EFI_PHYSICAL_ADDRESS base, UINT64 length,
     UINT64 attributes);
};

void executable_make(uint64_t base, uint64_t n_pages)
{
    struct memory_attribute_protocol *protocol;

    if (EFI_ERROR(LibLocateProtocol(&memory_attribute_guid, (void **)&protocol)))
        return;
    if (EFI_ERROR(protocol->clear(protocol, base, n_pages << EFI_PAGE_SHIFT,
                                  EFI_MEMORY_XP | MEMORY_READ_ONLY)))
        Print(L"okram: firmware does not make the kernel's pages executable; going on.\r\n");
}
