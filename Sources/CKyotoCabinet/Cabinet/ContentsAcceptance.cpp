#include "ContentsAcceptance.h"

#include <variant>

#include "../Snapshots/HashScan.h"
#include "../Snapshots/TreeScan.h"
#include "ContentsCheck.h"
#include "RandomID.h"

namespace todana {

bool ContentsAcceptance::run(const Rebuilding::Progress &progress) {
  std::vector<Structure *> structures;
  for (Structure *structure : session_.table().all()) {
    if (session_.snapshotPart(*snapshot_, *structure).file) structures.push_back(structure);
  }
  for (Structure *structure : structures) total_ += session_.snapshotCount(*snapshot_, structure->id);
  for (Structure *structure : structures) {
    if (!read(*structure, progress)) return false;
  }
  session_.accept(accepted_);
  return true;
}

bool ContentsAcceptance::read(Structure &structure, const Rebuilding::Progress &progress) {
  SnapshotPart &part = session_.snapshotPart(*snapshot_, structure);
  using Scan = std::variant<HashScan, TreeScan>;
  Scan scan = structure.isTree() ? Scan(TreeScan(*snapshot_, part, {std::nullopt, std::nullopt, false}))
                                 : Scan(HashScan(*snapshot_, part, structure.hasRows()));
  ContentsSum sum(session_.keyRing().get(), structure);
  std::vector<uint8_t> bytes(1 << 20);
  std::vector<tdn_slice> slices(4096);
  for (;;) {
    if (!progress(done_, total_)) return false;
    tdn_chunk chunk{};
    chunk.bytes = bytes.data();
    chunk.byte_capacity = bytes.size();
    chunk.slices = slices.data();
    chunk.slice_capacity = slices.size();
    ChunkWriter writer(chunk);
    for (bool goesOn = true; goesOn;) {
      FileGroup::ReadLock lock(session_.group());
      snapshot_->check();
      goesOn = std::visit([&](auto &state) { return state.step(writer); }, scan);
    }
    if (!sum.add(chunk)) {
      Failure failure(TDN_DAMAGED, "a record of the structure cannot be read, so there is nothing to accept");
      failure.structure = structure.id;
      throw failure;
    }
    if (chunk.needed > 0) {
      bytes.resize(chunk.needed);
    } else if (chunk.slice_count == 0) {
      break;
    }
    done_ += chunk.slice_count;
  }
  accepted_.push_back({&structure, part.contents, sum.take()});
  return true;
}

}  // namespace todana
