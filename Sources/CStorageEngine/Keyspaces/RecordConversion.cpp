#include "RecordConversion.h"

#include <cstring>

#include "../Disk/Failure.h"
#include "PlainRecord.h"

namespace todana {

namespace {

struct RowBytes {
  uint8_t bytes[8];
  explicit RowBytes(uint64_t row) {
    for (int index = 0; index < 8; index++) bytes[index] = static_cast<uint8_t>(row >> (56 - 8 * index));
  }
};

// Returns the number of padding bytes. It is stored in the last two bytes, which are part of the padding.
size_t paddingSize(std::string_view plaintext, bool isPadded) {
  if (!isPadded) return 0;
  if (plaintext.size() < 2) return plaintext.size();
  uint16_t size;
  std::memcpy(&size, plaintext.data() + plaintext.size() - 2, 2);
  return size;
}

// Inserts the name of a sealed record after the version byte: its length as a varint, then its bytes.
void insertName(std::string &plaintext, std::string_view name) {
  std::string prefix;
  for (size_t rest = name.size();; rest >>= 7) {
    prefix.push_back(static_cast<char>(rest >= 0x80 ? (rest & 0x7F) | 0x80 : rest));
    if (rest < 0x80) break;
  }
  plaintext.insert(1, prefix.append(name));
}

std::optional<std::string> removeName(std::string &plaintext) {
  size_t length = 0, position = 1;
  for (int shift = 0; position < plaintext.size() && shift < 28; shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(plaintext[position++]);
    length |= static_cast<size_t>(byte & 0x7F) << shift;
    if (byte & 0x80) continue;
    if (length > plaintext.size() - position) return std::nullopt;
    std::string name = plaintext.substr(position, length);
    plaintext.erase(1, position - 1 + length);
    return name;
  }
  return std::nullopt;
}

}  // namespace

bool RecordConversion::isRecord(std::string_view bytes) {
  return isPlainRecord(bytes) || Sealer::epoch({bytes.data(), bytes.size()}) != 0;
}

bool RecordConversion::hasForm(std::string_view record, uint32_t keyGeneration) {
  const uint32_t epoch = Sealer::epoch({record.data(), record.size()});
  if (keyGeneration == 0) return epoch == 0 && isRecord(record);
  return epoch >= keyGeneration;
}

std::string RecordConversion::row(const Keyspace &keyspace, uint64_t row, std::string_view record) {
  const Place place{keyspace, row, {}};
  return close(place, open(place, record));
}

std::string RecordConversion::named(const Keyspace &keyspace, std::string_view name, std::string_view record) {
  const Place place{keyspace, 0, name};
  Opened opened = open(place, record);
  if (isSealedFormat(formatOf(record)) && removeName(opened.plaintext) != name) {
    refuse(place, TDN_DAMAGED, "a record is stored under another name than its own");
  }
  if (keyGeneration_ != 0) insertName(opened.plaintext, name);
  return close(place, opened);
}

RecordConversion::Opened RecordConversion::openStored(
  const Keyspace &keyspace, std::string_view key, std::string_view record, std::string &name) {
  const Place place{keyspace, 0, key};
  Opened opened = open(place, record);
  if (isSealedFormat(formatOf(record))) {
    std::optional<std::string> found = removeName(opened.plaintext);
    if (!found) refuse(place, TDN_DAMAGED, "a record has no name");
    name = std::move(*found);
  } else {
    name = key;
  }
  return opened;
}

RecordConversion::Named RecordConversion::stored(
  const Keyspace &keyspace, std::string_view key, std::string_view record) {
  Named named;
  Opened opened = openStored(keyspace, key, record, named.name);
  named.key = keyOf(named.name);
  if (keyGeneration_ != 0) insertName(opened.plaintext, named.name);
  named.record = close({keyspace, 0, named.name}, opened);
  return named;
}

std::string RecordConversion::keyOf(const Keyspace &keyspace, std::string_view key, std::string_view record) {
  std::string name;
  openStored(keyspace, key, record, name);
  return keyOf(name);
}

std::string RecordConversion::keyOf(std::string_view name) const {
  if (keyGeneration_ == 0) return std::string(name);
  const KeyRing::NameKey key = ring_->nameKey(keyGeneration_, {name.data(), name.size()});
  return std::string(key.begin(), key.end());
}

void RecordConversion::refuse(const Place &place, tdn_code code, const char *why) {
  Failure failure(code, why);
  failure.keyspace = place.keyspace.id;
  failure.hasRow = place.keyspace.hasRows();
  failure.row = place.row;
  throw failure;
}

uint64_t RecordConversion::seed(const Place &place) const {
  const PlainRecordSeed seed(ring_->storeID(), place.keyspace.id);
  return place.keyspace.hasRows() ? seed.row(place.row) : seed.name(place.name);
}

RecordConversion::Opened RecordConversion::open(const Place &place, std::string_view record) {
  Opened opened;
  const uint8_t format = formatOf(record);
  if (!isRecord(record)) refuse(place, TDN_DAMAGED, "a record is damaged: its format is unknown");
  std::memcpy(opened.token, record.data() + record.size() - kTokenSize, kTokenSize);
  if (!isSealedFormat(format)) {
    if (!isSoundPlainRecord(record, seed(place))) {
      refuse(place, TDN_DAMAGED, "a record is damaged, or belongs to another row or name");
    }
    opened.plaintext.assign(record, 1, plainSize(record) - 1);
    return opened;
  }
  const RowBytes row(place.row);
  const bool hasRows = place.keyspace.hasRows();
  const SealedPlace sealedPlace{
    hasRows ? SealedKind::record : SealedKind::namedBuffer, place.keyspace.id,
    {row.bytes, hasRows ? sizeof row.bytes : 0}};
  opened.plaintext.resize(record.size());
  const Sealer::Opened result = sealer_.open(
    sealedPlace, {record.data(), record.size()}, reinterpret_cast<uint8_t *>(opened.plaintext.data()));
  if (result.outcome == Sealer::Outcome::unknownEpoch) {
    refuse(place, TDN_UNKNOWN_EPOCH, "a record is encrypted with a key that the store does not have");
  }
  if (result.outcome != Sealer::Outcome::opened) {
    refuse(place, TDN_DAMAGED, "a record is damaged, or belongs to another row or name");
  }
  opened.plaintext.erase(0, result.offset);
  opened.plaintext.resize(result.count);
  opened.isPadded = isPadded(format);
  if (opened.plaintext.size() <= paddingSize(opened.plaintext, opened.isPadded)) {
    refuse(place, TDN_DAMAGED, "a record has no version");
  }
  return opened;
}

std::string RecordConversion::close(const Place &place, const Opened &opened) {
  if (keyGeneration_ == 0) return plain(place, opened);
  const RowBytes row(place.row);
  const bool hasRows = place.keyspace.hasRows();
  const std::vector<uint8_t> sealed = sealer_.sealKept(
    {hasRows ? SealedKind::record : SealedKind::namedBuffer, place.keyspace.id,
     {row.bytes, hasRows ? sizeof row.bytes : 0}},
    sealedFormat(true, opened.isPadded), {opened.plaintext.data(), opened.plaintext.size()}, opened.token);
  return std::string(sealed.begin(), sealed.end());
}

std::string RecordConversion::plain(const Place &place, const Opened &opened) const {
  std::string record(1, static_cast<char>(kPlainFormat));
  record.append(opened.plaintext, 0, opened.plaintext.size() - paddingSize(opened.plaintext, opened.isPadded));
  uint64_t token;
  std::memcpy(&token, opened.token, kTokenSize);
  uint64_t check = checksum(record.data(), record.size(), seed(place));
  const bool wasPlain = check == token;  // the token equals the check of a plain record with this content
  if (!wasPlain) {
    record[0] = static_cast<char>(kPlainFormat | kKeptFlag);
    check = checksum(record.data(), record.size(), seed(place) ^ token);
  }
  record.append(reinterpret_cast<const char *>(&check), kCheckSize);
  if (!wasPlain) record.append(reinterpret_cast<const char *>(&token), kTokenSize);
  return record;
}

}  // namespace todana
