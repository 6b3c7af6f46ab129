#include "PackReader.h"

#include "SeriesDirectory.h"

namespace todana {

namespace {

constexpr size_t kMaximumOpenPacks = 64;

const char kZeros[kPieceSize] = {};

bool isZero(const BlockEntry &entry) {
  return entry.sum == WideSum{0, 0} && entry.pack == 0 && entry.block == 0;
}

}  // namespace

PackReader::Pack &PackReader::pack(uint32_t number) {
  auto found = packs_.find(number);
  if (found != packs_.end()) return found->second;
  if (packs_.size() >= kMaximumOpenPacks) packs_.clear();
  Pack opened;
  opened.file = disk_.open(SeriesDirectory::packName(number), Disk::Mode::read);
  if (opened.file) opened.byteCount = opened.file->size();
  return packs_.emplace(number, std::move(opened)).first->second;
}

bool PackReader::has(uint32_t number, uint32_t block) {
  if (number == 0) return block == 0;
  return (int64_t{block} + 1) * kPieceSize <= pack(number).byteCount;
}

bool PackReader::readTable(const BlockEntry &entry, size_t pieceCount, GroupTable &table) {
  if (entry.pack == 0 || !has(entry.pack, entry.block)) return false;
  const size_t count = pack(entry.pack).file->read(entry.block * kPieceSize, &table, sizeof table);
  if (count != sizeof table || WideSum::of(&table, sizeof table, kTableSeed) != entry.sum) return false;
  for (size_t index = 0; index < kGroupPieces; index++) {
    const BlockEntry &piece = table.pieces[index];
    // Nothing refers to a pack that came later.
    if (index < pieceCount ? piece.pack > entry.pack || (piece.pack == 0 && piece.block != 0) : !isZero(piece)) {
      return false;
    }
  }
  return true;
}

void PackReader::readPieces(const GroupTable &table, size_t pieceCount, char *content, bool *isSound) {
  for (size_t first = 0, end; first < pieceCount; first = end) {
    const BlockEntry &piece = table.pieces[first];
    end = first + 1;
    char *target = content + first * kPieceSize;
    size_t found;
    if (piece.pack == 0) {
      std::memcpy(target, kZeros, kPieceSize);
      found = kPieceSize;
    } else {
      // What was written in one go is read in one.
      while (end < pieceCount && table.pieces[end].pack == piece.pack &&
             table.pieces[end].block == uint64_t{piece.block} + (end - first)) {
        end++;
      }
      DiskFile *file = pack(piece.pack).file.get();
      found = file ? file->read(piece.block * kPieceSize, target, (end - first) * kPieceSize) : 0;
    }
    for (size_t index = first; index < end; index++) {
      isSound[index] = (index - first + 1) * kPieceSize <= found &&
                       WideSum::of(content + index * kPieceSize, kPieceSize, kPieceSeed) == table.pieces[index].sum;
    }
  }
}

}  // namespace todana
