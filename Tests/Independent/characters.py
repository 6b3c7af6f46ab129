"""Writes the characters of Unicode as records, and answers questions about them.

characters.py write FILE STEP   writes a record for every STEPth assigned character, one line of JSON for each
characters.py answer FILE       prints the answers for these records as JSON: codes, or values, by question
"""
import json
import sys
import unicodedata


def record(code):
    character = chr(code)
    result = {
        "code": code,
        "character": character,
        "category": unicodedata.category(character),
        "bidirectional": unicodedata.bidirectional(character),
        "combining": unicodedata.combining(character),
        "mirrored": unicodedata.mirrored(character) == 1,
    }
    name = unicodedata.name(character, None)
    if name:
        result["name"] = name
        result["words"] = name.split(" ")
    numeric = unicodedata.numeric(character, None)
    if numeric is not None:
        result["numeric"] = numeric
    parts = unicodedata.decomposition(character).split()
    if parts:
        tag = parts.pop(0)[1:-1] if parts[0].startswith("<") else None
        result["decomposition"] = {"tag": tag, "to": [int(part, 16) for part in parts]}
    return result


def write(path, step):
    number = 0
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for code in range(0x110000):
            if unicodedata.category(chr(code)) in ("Cn", "Cs", "Co"):
                continue
            if number % step == 0:
                file.write(json.dumps(record(code), ensure_ascii=False) + "\n")
            number += 1


def answer(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        records = [json.loads(line) for line in file]

    def codes(condition):
        return [record["code"] for record in records if condition(record)]

    def target(record):
        return record.get("decomposition", {}).get("to", [])

    def scalars(value):
        if isinstance(value, dict):
            for entry in value.values():
                yield from scalars(entry)
        elif isinstance(value, list):
            for element in value:
                yield from scalars(element)
        else:
            yield value

    fonts = [record for record in records if record.get("decomposition", {}).get("tag") == "font"]
    categories = sorted({record["category"] for record in records})
    numbers = [record["numeric"] for record in records if "numeric" in record]
    return {
        "[category] = 'Nd'": codes(lambda r: r["category"] == "Nd"),
        "[numeric] BETWEEN 1 AND 10": codes(lambda r: 1 <= r.get("numeric", 0) <= 10),
        "[numeric] = 0.5": codes(lambda r: r.get("numeric") == 0.5),
        "[name] BEGINSWITH 'GREEK' AND [category] IN ('Ll', 'Lu')": codes(
            lambda r: r.get("name", "").startswith("GREEK") and r["category"] in ("Ll", "Lu")
        ),
        "[name] CONTAINS[i] 'left'": codes(lambda r: "LEFT" in r.get("name", "")),
        "[name] IS NULL": codes(lambda r: "name" not in r),
        "[words[*]] = 'ARROW' AND NOT [mirrored]": codes(
            lambda r: "ARROW" in r.get("words", []) and not r["mirrored"]
        ),
        "[**.words] BEGINSWITH 'BLACK' OR [words[*]] ENDSWITH 'NESS'": codes(
            lambda r: any(word.endswith("NESS") for word in r.get("words", []))
        ),
        "[decomposition.to[*]] = 769": codes(lambda r: 769 in target(r)),
        "[decomposition.to[1]] = 776": codes(lambda r: target(r)[1:2] == [776]),
        "[**.tag] EXISTS": codes(lambda r: "decomposition" in r),
        "[decomposition.tag] IS NULL AND [decomposition] EXISTS": codes(
            lambda r: "decomposition" in r and r["decomposition"]["tag"] is None
        ),
        "[combining] > 200 AND [bidirectional] != 'NSM'": codes(
            lambda r: r["combining"] > 200 and r["bidirectional"] != "NSM"
        ),
        "any value 937": codes(lambda r: any(type(v) is int and v == 937 for v in scalars(r))),
        "any value 4": codes(lambda r: any(type(v) in (int, float) and v == 4 for v in scalars(r))),
        "fonts by name": [r["code"] for r in sorted(fonts, key=lambda r: (r["name"].encode(), r["code"]))][10:60],
        "categories": [[name, sum(1 for r in records if r["category"] == name)] for name in categories],
        "numbers": [len(numbers), min(numbers), max(numbers)],
    }


if sys.argv[1:2] == ["write"] and len(sys.argv) == 4:
    write(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1:2] == ["answer"] and len(sys.argv) == 3:
    print(json.dumps(answer(sys.argv[2])))
else:
    sys.exit(__doc__)
