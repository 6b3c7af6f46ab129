#include "DigestAcceptance.h"

#include "DigestCheck.h"
#include "WholeScan.h"

namespace todana {

bool DigestAcceptance::run(const Rebuilding::Progress &progress) {
  std::vector<Keyspace *> keyspaces;
  for (Keyspace *keyspace : session_.table().all()) {
    if (session_.snapshotPart(*snapshot_, *keyspace).file) keyspaces.push_back(keyspace);
  }
  for (Keyspace *keyspace : keyspaces) total_ += session_.snapshotCount(*snapshot_, keyspace->id);
  for (Keyspace *keyspace : keyspaces) {
    if (!progress(done_, total_) || !read(*keyspace, progress)) return false;
  }
  session_.accept(accepted_);
  return true;
}

bool DigestAcceptance::read(Keyspace &keyspace, const Rebuilding::Progress &progress) {
  WholeScan scan(session_, *snapshot_, keyspace);
  const DigestEntry &expected = scan.part().contents;
  KeyspaceDigestSum sum(session_.keyRing(), expected.keyGeneration, keyspace);
  while (const tdn_chunk *chunk = scan.next()) {
    if (!sum.add(*chunk)) {
      Failure failure(TDN_DAMAGED, "a record of the keyspace cannot be read, so its contents cannot be accepted");
      failure.keyspace = keyspace.id;
      throw failure;
    }
    done_ += chunk->slice_count;
    if (!progress(done_, total_)) return false;
  }
  accepted_.push_back({&keyspace, snapshot_->commitNumber(), expected, sum.take()});
  return true;
}

}  // namespace todana
