#include "SegmentReader.h"

#include "SeriesDirectory.h"

namespace todana {

namespace {

constexpr size_t kMostOpenSegments = 64;

const char kZeros[kPieceSize] = {};

bool isZero(const BlockEntry &entry) {
  return entry.sum == WideSum{0, 0} && entry.segment == 0 && entry.block == 0;
}

}  // namespace

SegmentReader::Segment &SegmentReader::segment(uint32_t number) {
  auto found = segments_.find(number);
  if (found != segments_.end()) return found->second;
  if (segments_.size() >= kMostOpenSegments) segments_.clear();
  Segment opened;
  opened.file = disk_.open(SeriesDirectory::segmentName(number), Disk::Mode::read);
  if (opened.file) opened.byteCount = opened.file->size();
  return segments_.emplace(number, std::move(opened)).first->second;
}

bool SegmentReader::has(uint32_t number, uint32_t block) {
  if (number == 0) return block == 0;
  return (int64_t{block} + 1) * kPieceSize <= segment(number).byteCount;
}

bool SegmentReader::readTable(const BlockEntry &entry, size_t pieceCount, GroupTable &table) {
  if (entry.segment == 0 || !has(entry.segment, entry.block)) return false;
  const size_t count = segment(entry.segment).file->read(entry.block * kPieceSize, &table, sizeof table);
  if (count != sizeof table || WideSum::of(&table, sizeof table, kTableSeed) != entry.sum) return false;
  for (size_t index = 0; index < kGroupPieces; index++) {
    const BlockEntry &piece = table.pieces[index];
    // A table never refers to a later segment.
    if (index < pieceCount ? piece.segment > entry.segment || (piece.segment == 0 && piece.block != 0) : !isZero(piece)) {
      return false;
    }
  }
  return true;
}

void SegmentReader::readPieces(const GroupTable &table, size_t pieceCount, char *content, bool *isSound) {
  for (size_t first = 0, end; first < pieceCount; first = end) {
    const BlockEntry &piece = table.pieces[first];
    end = first + 1;
    char *target = content + first * kPieceSize;
    size_t found;
    if (piece.segment == 0) {
      std::memcpy(target, kZeros, kPieceSize);
      found = kPieceSize;
    } else {
      // Read pieces together that were written together.
      while (end < pieceCount && table.pieces[end].segment == piece.segment &&
             table.pieces[end].block == uint64_t{piece.block} + (end - first)) {
        end++;
      }
      DiskFile *file = segment(piece.segment).file.get();
      found = file ? file->read(piece.block * kPieceSize, target, (end - first) * kPieceSize) : 0;
    }
    for (size_t index = first; index < end; index++) {
      isSound[index] = (index - first + 1) * kPieceSize <= found &&
                       WideSum::of(content + index * kPieceSize, kPieceSize, kPieceSeed) == table.pieces[index].sum;
    }
  }
}

}  // namespace todana
