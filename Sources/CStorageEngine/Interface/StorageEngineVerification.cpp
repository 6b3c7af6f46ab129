// The C functions of StorageEngineVerification.h.
#include "../include/StorageEngineVerification.h"

#include "../Cabinet/DigestAcceptance.h"
#include "CabinetHandle.h"
#include "ErrorBoundary.h"

using namespace todana;

bool tdn_verify_part(
  tdn_cabinet *handle, uint32_t keyspace, uint64_t firstPage, tdn_verified_part *part, tdn_error *error) {
  return catchErrors(error, [&] {
    *part = {};
    if (firstPage > UINT32_MAX) return;  // beyond any file's pages
    std::string name;
    const FileGroup::Verified verified =
      Cabinet::Use(*handle->cabinet)->verifyPart(keyspace, static_cast<int64_t>(firstPage), name);
    copyText(part->file, sizeof(part->file), name);
    part->page_count = static_cast<uint64_t>(verified.lookedAt);
    part->file_page_count = static_cast<uint64_t>(verified.pageCount);
    part->damaged_count = verified.damaged.size();
    for (uint64_t page : verified.damaged) part->damaged[(page - firstPage) / 8] |= 1 << ((page - firstPage) & 7);
  });
}

bool tdn_verify_companions(
  tdn_cabinet *handle, void *context, void (*visit)(void *context, const char *file, const char *message),
  tdn_error *error) {
  return catchErrors(error, [&] {
    for (const FileGroup::DamagedFile &file : handle->cabinet->verifyCompanions()) {
      visit(context, file.name.c_str(), file.message.c_str());
    }
  });
}

bool tdn_accept_contents(
  tdn_cabinet *handle, tdn_progress progress, void *context, bool *accepted, tdn_error *error) {
  return catchErrors(error, [&] {
    Cabinet::Use session(*handle->cabinet);
    *accepted = DigestAcceptance(*session).run(
      [=](uint64_t done, uint64_t total) { return progress(context, done, total); });
  });
}
