#include "ContentsAcceptance.h"

#include "ContentsCheck.h"
#include "WholeScan.h"

namespace todana {

bool ContentsAcceptance::run(const Rebuilding::Progress &progress) {
  std::vector<Structure *> structures;
  for (Structure *structure : session_.table().all()) {
    if (session_.snapshotPart(*snapshot_, *structure).file) structures.push_back(structure);
  }
  for (Structure *structure : structures) total_ += session_.snapshotCount(*snapshot_, structure->id);
  for (Structure *structure : structures) {
    if (!progress(done_, total_) || !read(*structure, progress)) return false;
  }
  session_.accept(accepted_);
  return true;
}

bool ContentsAcceptance::read(Structure &structure, const Rebuilding::Progress &progress) {
  WholeScan scan(session_, *snapshot_, structure);
  const ContentsState &expected = scan.part().contents;
  ContentsSum sum(session_.keyRing(), expected.generation, structure);
  while (const tdn_chunk *chunk = scan.next()) {
    if (!sum.add(*chunk)) {
      Failure failure(TDN_DAMAGED, "a record of the structure cannot be read, so there is nothing to accept");
      failure.structure = structure.id;
      throw failure;
    }
    done_ += chunk->slice_count;
    if (!progress(done_, total_)) return false;
  }
  accepted_.push_back({&structure, snapshot_->commitNumber(), expected, sum.take()});
  return true;
}

}  // namespace todana
