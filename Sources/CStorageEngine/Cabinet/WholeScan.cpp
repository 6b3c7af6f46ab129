#include "WholeScan.h"

namespace todana {

WholeScan::WholeScan(Session &session, Snapshot &snapshot, Keyspace &keyspace)
    : session_(session), snapshot_(snapshot), part_(session.snapshotPart(snapshot, keyspace)),
      scan_(scanOf(snapshot, part_, keyspace)), bytes_(1 << 20), slices_(4096) {}

WholeScan::Scan WholeScan::scanOf(Snapshot &snapshot, SnapshotPart &part, const Keyspace &keyspace) {
  if (keyspace.isTree()) return TreeScan(snapshot, part, {std::nullopt, std::nullopt, false});
  return HashScan(snapshot, part, keyspace.hasRows());
}

const tdn_chunk *WholeScan::next() {
  for (;;) {
    chunk_ = {};
    chunk_.bytes = bytes_.data();
    chunk_.byte_capacity = bytes_.size();
    chunk_.slices = slices_.data();
    chunk_.slice_capacity = slices_.size();
    ChunkWriter writer(chunk_);
    for (bool goesOn = true; goesOn;) {
      FileGroup::ReadLock lock(session_.group());
      snapshot_.check();
      goesOn = std::visit([&](auto &state) { return state.step(writer); }, scan_);
    }
    if (chunk_.needed == 0) return chunk_.slice_count > 0 ? &chunk_ : nullptr;
    bytes_.resize(chunk_.needed);
  }
}

}  // namespace todana
