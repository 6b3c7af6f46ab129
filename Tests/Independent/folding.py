"""Folds texts with ICU, after the description of the folding in docs/formats/index-keys.md alone.

folding.py FILE   reads lines of hexadecimal UTF-8, and prints for each the folded text and the text without case
"""
import sys

import icu

ACCENTED = {"Zinh", "Latn", "Grek", "Cyrl", "Hebr", "Arab", "Syrc"}
LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
MARKS = {icu.UCharCategory.NON_SPACING_MARK, icu.UCharCategory.ENCLOSING_MARK}

decomposing = icu.Normalizer2.getNFDInstance()
composing = icu.Normalizer2.getNFCInstance()
compatible = icu.Normalizer2.getNFKCCasefoldInstance()


def is_accent(character):
    if icu.Char.charType(character) not in MARKS or character in "\u3099\u309a":
        return False
    return icu.Script.getScript(character).getShortName() in ACCENTED


def folded(text):
    characters = decomposing.normalize(compatible.normalize(decomposing.normalize(text)))
    return composing.normalize("".join(LETTERS.get(one, one) for one in characters if not is_accent(one)))


def without_case(text):
    return composing.normalize(str(icu.UnicodeString(decomposing.normalize(text)).foldCase()))


if __name__ == "__main__":
    print(icu.UNICODE_VERSION)
    with open(sys.argv[1]) as file:
        for line in file:
            text = bytes.fromhex(line.strip()).decode("utf-8")
            print(folded(text).encode("utf-8").hex(), without_case(text).encode("utf-8").hex(), sep=" ")
