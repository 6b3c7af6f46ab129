#include "RowFinder.h"

namespace todana {

RowPack openPack(const HashFile &file, const HashBlock &record) {
  file.verifyBytes({record.value, RowPack::headLength(record.valueLength)});
  RowPack pack;
  if (!pack.open(record.value, record.valueLength)) file.damaged("a pack of rows is damaged", record.offset);
  return pack;
}

std::string_view packedRow(const HashFile &file, const HashBlock &record, const RowPack &pack, int index) {
  std::string_view bytes;
  if (!pack.row(index, bytes)) file.damaged("a pack of rows is damaged", record.offset);
  file.verifyBytes(bytes);
  return bytes;
}

bool RowFinder::find(size_t member, uint64_t row, std::string_view &value) {
  RowKey key(row);
  HashBlock record;
  if (!hasPacks_) {
    if (!file_.find(key.bytes, key.length, group_.place(member), record)) return false;
    value = {record.value, record.valueLength};
    return true;
  }
  if (uint64_t number = packNumber(row); number != lastNumber_) {
    lastNumber_ = UINT64_MAX;  // in case the lines below throw
    PackKey packKey(number);
    isLastFound_ = file_.findKey(packKey.bytes, packKey.length, group_.place(member), lastRecord_);
    if (isLastFound_) lastPack_ = openPack(file_, lastRecord_);
    lastNumber_ = number;
  }
  if (isLastFound_ && lastPack_.contains(packIndex(row))) {
    value = packedRow(file_, lastRecord_, lastPack_, packIndex(row));
    return true;
  }
  if (!file_.find(key.bytes, key.length, record)) return false;
  value = {record.value, record.valueLength};
  return true;
}

}  // namespace todana
