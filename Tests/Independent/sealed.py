"""Reads and writes an encrypted store's file of keys and envelopes, and checks its states, after
docs/formats/key-file.md, sealed-envelope.md, states.md and redo-log.md alone. Uses Python's `cryptography` package.

sealed.py open KEYS PASSPHRASE                 prints the keys' purposes, numbers and bytes
sealed.py record KEYS PASSPHRASE KEYSPACE ROW ENVELOPE
                                               prints the plaintext; everything binary is hexadecimal
sealed.py buffer KEYS PASSPHRASE KEYSPACE NAME ENVELOPE
                                               prints the buffer's key and the plaintext
sealed.py states KEYS PASSPHRASE STATES COMMITS ID:FILE,... ID ROW:TOKEN,...
                                               prints the newest commit, whether the root fits states and commits,
                                               a keyspace's number of records, and whether its digest fits its rows
sealed.py make PASSPHRASE KEYSPACE ROW TEXT   prints a file of keys and an envelope of its own making
"""
import hashlib
import os
import struct
import sys
import unicodedata

from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

SLOT_LABEL = b"Todana slot 1"
KEY_LABEL = b"Todana key 1"
EPOCH, NAME, DIGEST = 1, 3, 4


def check(data):
    return hashlib.sha256(data).digest()[:8]


def hkdf(secret, salt, info, length):
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)


def derive_slot(passphrase, log2n, r, p, scrypt_salt, hkdf_salt):
    secret = unicodedata.normalize("NFC", passphrase).encode()
    derived = Scrypt(salt=scrypt_salt, length=32, n=1 << log2n, r=r, p=p).derive(secret)
    expanded = hkdf(derived, hkdf_salt, SLOT_LABEL, 96)
    return expanded[:64], expanded[64:]


def open_keys(data, passphrase):
    """The store id, the cipher, and the keys by purpose and number."""
    assert data[:8] == b"TDNKEYS\n" and struct.unpack("<I", data[8:12]) == (1,)
    assert check(data[:56]) == data[56:64]
    cipher, slots, store, keys = data[12], *struct.unpack("<H", data[14:16]), data[16:32], *struct.unpack("<H", data[40:42])
    assert len(data) == 64 + 144 * slots + 64 * keys
    for index in range(slots):
        slot = data[64 + 144 * index:][:144]
        assert check(slot[:136]) == slot[136:]
        if slot[0] != 1:
            continue
        r, p = struct.unpack("<II", slot[4:12])
        wrapping, commitment = derive_slot(passphrase, slot[2], r, p, slot[24:40], slot[40:56])
        if commitment != slot[56:88]:
            continue
        master = AESSIV(wrapping).decrypt(slot[88:136], [SLOT_LABEL, store, slot[:56]])
        wrapping = hkdf(master, store, KEY_LABEL, 64)
        found = {}
        for number in range(keys):
            key = data[64 + 144 * slots + 64 * number:][:64]
            opened = AESSIV(wrapping).decrypt(key[16:], [KEY_LABEL, store, key[:16]])
            found[key[0], struct.unpack("<I", key[4:8])[0]] = opened
        return store, cipher, found
    raise SystemExit("no slot opens")


def associated(kind, store, keyspace, epoch, key, form=0x20, token=b""):
    head = b"Todana" + bytes([1, kind]) + store + struct.pack("<IIBH", keyspace, epoch, form, len(key))
    return head + key + token


def varint(data):
    value, shift = 0, 0
    for index, byte in enumerate(data):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, index + 1


def open_envelope(envelope, kind, store, cipher, keys, keyspace, key):
    form, token = envelope[0], b""
    assert form & ~3 == 0x20
    if form & 1:
        envelope, token = envelope[:-8], envelope[-8:]
    epoch, size = varint(envelope[1:])
    nonce, sealed = envelope[1 + size:13 + size], envelope[13 + size:]
    data_key = keys[EPOCH, epoch][:16 if cipher == 1 else 32]
    opened = AESGCM(data_key).decrypt(nonce, sealed, associated(kind, store, keyspace, epoch, key, form, token))
    if form & 2:
        opened = opened[:len(opened) - struct.unpack("<H", opened[-2:])[0]]
    return opened


def term(keys, generation, number, message):
    key = hkdf(keys[DIGEST, generation], struct.pack("<I", number), b"Todana digest 1", 16)
    padded = message + bytes(-len(message) % 16)
    mac = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    return (mac.update(padded) + mac.finalize())[-16:]


def total(terms):
    result = bytes(16)
    for each in terms:
        result = bytes(left ^ right for left, right in zip(result, each))
    return result


def newest_commits(data):
    """The newest commit's number, and the ids of the last ones, the newest at the end."""
    found = (0, [])
    for start in (0, 32768):
        if data[start:start + 8] != b"TDNCMT01":
            continue
        commit, count = struct.unpack("<QI", data[start + 8:start + 20])
        ids = [data[start + 32 + 16 * index:][:16] for index in range(count)]
        found = max(found, (commit, ids))
    return found


def check_states(store, cipher, keys, states, commits, files, keyspace, rows):
    def slot(offset, number):
        sealed = states[offset + 1:offset + 1 + states[offset]]
        return open_envelope(sealed, 6, store, cipher, keys, number, b"")

    root = slot(0, 0)
    version, commit, entries, history, is_open, epoch, seals, newest_keys = struct.unpack("<BQ16s16sBIQI", root)
    contents = {number: struct.unpack("<BQ16sI", slot(64 * (number + 1), number)) for number in files}
    assert version == 1 and all(state[0] == 1 for state in contents.values())
    newest, ids = newest_commits(commits)
    last = list(enumerate(reversed(ids)))[:1000]
    print(commit, newest == commit, is_open, epoch, seals)
    print(entries == total(
        term(keys, newest_keys, 0, struct.pack("<IIQ16sI12x", number, file, *contents[number][1:]))
        for number, file in files.items()))
    print(history == total(
        term(keys, newest_keys, 2**32 - 1, struct.pack("<Q", newest - age) + batch[:8]) for age, batch in last))
    print(contents[keyspace][1], contents[keyspace][2] == total(
        term(keys, contents[keyspace][3], keyspace, struct.pack("<QQ", row, token)) for row, token in rows))


def pairs(text):
    return [tuple(int(number) for number in pair.split(":")) for pair in text.split(",")]


def make(passphrase, keyspace, row, text):
    store, master = os.urandom(16), os.urandom(32)
    head = struct.pack("<BBBBIIIQ", 1, 1, 4, 0, 8, 1, 1, 1_700_000_000_000) + os.urandom(32)
    wrapping, commitment = derive_slot(passphrase, 4, 8, 1, head[24:40], head[40:56])
    slot = head + commitment + AESSIV(wrapping).encrypt(master, [SLOT_LABEL, store, head])
    wrapping = hkdf(master, store, KEY_LABEL, 64)
    keys, epoch = b"", os.urandom(32)
    for purpose in (EPOCH, NAME, DIGEST):
        number = 300 if purpose == EPOCH else 1
        key_head = struct.pack("<BxxxI8x", purpose, number)
        secret = epoch if purpose == EPOCH else os.urandom(32)
        keys += key_head + AESSIV(wrapping).encrypt(secret, [KEY_LABEL, store, key_head])
    header = b"TDNKEYS\n" + struct.pack("<IBxH", 1, 1, 1) + store + struct.pack("<QH14x", 1, 3)
    header = header[:56]
    nonce = os.urandom(12)
    sealed = AESGCM(epoch[:16]).encrypt(
        nonce, text.encode(), associated(1, store, keyspace, 300, struct.pack(">Q", row)))
    envelope = bytes([0x20, 300 & 0x7F | 0x80, 300 >> 7]) + nonce + sealed
    return header + check(header) + slot + check(slot) + keys, envelope


def main(command, *arguments):
    if command == "make":
        passphrase, keyspace, row, text = arguments
        for part in make(passphrase, int(keyspace), int(row), text):
            print(part.hex())
        return
    store, cipher, keys = open_keys(bytes.fromhex(arguments[0]), arguments[1])
    if command == "open":
        for (purpose, number), key in sorted(keys.items()):
            print(purpose, number, key.hex())
    elif command == "record":
        keyspace, row, envelope = int(arguments[2]), int(arguments[3]), bytes.fromhex(arguments[4])
        print(open_envelope(envelope, 1, store, cipher, keys, keyspace, struct.pack(">Q", row)).hex())
    elif command == "states":
        states, commits, files, keyspace, rows = arguments[2:]
        check_states(
            store, cipher, keys, bytes.fromhex(states), bytes.fromhex(commits), dict(pairs(files)), int(keyspace),
            pairs(rows))
    elif command == "buffer":
        keyspace, name, envelope = int(arguments[2]), arguments[3], bytes.fromhex(arguments[4])
        newest = max(number for purpose, number in keys if purpose == NAME)
        code = hmac.HMAC(keys[NAME, newest], hashes.SHA256())
        code.update(name.encode())
        key = code.finalize()[:16]
        print(key.hex())
        print(open_envelope(envelope, 2, store, cipher, keys, keyspace, b"").hex())


main(*sys.argv[1:])
