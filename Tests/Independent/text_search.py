"""Tests texts against text expressions, by brute force, after docs/formats/text-search.md alone.

text_search.py FILE   reads lines of JSON, {"texts": [...], "node": [...]}, and prints 1 or 0 for each
"""
import functools
import itertools
import json
import re
import sys

import icu

from folding import folded

# The short names of the values of Word_Break.
CLASSES = {
    "LE": "A", "HL": "H", "NU": "N", "EX": "E", "MB": "m", "ML": "l", "MN": "n", "SQ": "s", "DQ": "d", "Extend": "x",
    "FO": "x", "ZWJ": "x", "CR": "r", "LF": "r", "NL": "r",
}
# Letters, digits and connectors that belong together, with punctuation between letters or digits; marks belong to what
# is before them. Any other character is a segment of its own.
WORD = re.compile(
    "(?:[AHNE]x*"
    "|(?<=[AH])(?<!r)[mls]x*(?=[AH])"
    "|(?<=N)[mns]x*(?=N)"
    "|(?<=H)dx*(?=H))+(?:(?<=H)sx*)?"
    "|[^x]x*|x+"
)


@functools.lru_cache(maxsize=None)
def word_break(character):
    value = icu.Char.getIntPropertyValue(character, icu.UProperty.WORD_BREAK)
    name = icu.Char.getPropertyValueName(icu.UProperty.WORD_BREAK, value, icu.UPropertyNameChoice.SHORT_PROPERTY_NAME)
    return CLASSES.get(name, "O")


def is_of_word(character):
    kind = icu.Char.charType(character)
    letters = {
        icu.UCharCategory.UPPERCASE_LETTER, icu.UCharCategory.LOWERCASE_LETTER, icu.UCharCategory.TITLECASE_LETTER,
        icu.UCharCategory.MODIFIER_LETTER, icu.UCharCategory.OTHER_LETTER, icu.UCharCategory.DECIMAL_DIGIT_NUMBER,
        icu.UCharCategory.LETTER_NUMBER, icu.UCharCategory.OTHER_NUMBER, icu.UCharCategory.COMBINING_SPACING_MARK,
    }
    return kind in letters or icu.Char.hasBinaryProperty(character, icu.UProperty.EXTENDED_PICTOGRAPHIC) or (
        word_break(character) in "AN"
    )


def segments(text):
    """The default segments of a text, by the regular expression on the classes of its characters."""
    classes = "".join(word_break(one) for one in text)
    # Marks do not separate what is around them, so lookbehinds must not see them.
    plain = [index for index, one in enumerate(classes) if one != "x" or index == 0 or classes[index - 1] == "r"]
    short = "".join(classes[index] if classes[index] != "x" else "O" for index in plain)
    ends = []
    for match in WORD.finditer(short):
        end = match.end()
        ends.append(plain[end] if end < len(plain) else len(text))
    starts = [0] + ends[:-1]
    return [text[start:end] for start, end in zip(starts, ends)]


@functools.lru_cache(maxsize=100_000)
def squeezed(text, trims=True):
    text = re.sub(r"[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+", " ", folded(text))
    return text.strip(" ") if trims else text


@functools.lru_cache(maxsize=100_000)
def words(text):
    return [one for one in segments(squeezed(text)) if any(is_of_word(character) for character in one)]


def places(phrase, found, fits):
    count = len(phrase)
    return [
        start for start in range(len(found) - count + 1)
        if all(fits(index, phrase[index], found[start + index]) for index in range(count))
    ]


def distance(first, second):
    """Optimal string alignment, over the whole table."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for row in range(len(first) + 1):
        for column in range(len(second) + 1):
            if row == 0 or column == 0:
                table[row][column] = row + column
                continue
            same = first[row - 1] == second[column - 1]
            best = min(table[row - 1][column] + 1, table[row][column - 1] + 1, table[row - 1][column - 1] + (not same))
            if row > 1 and column > 1 and first[row - 1] == second[column - 2] and first[row - 2] == second[column - 1]:
                best = min(best, table[row - 2][column - 2] + 1)
            table[row][column] = best
    return table[-1][-1]


def equal(_, wanted, word):
    return wanted == word


def has_words(kind, text):
    wanted = words(text)

    def fits(index, part, word):
        if kind == "prefix" and index == len(wanted) - 1:
            return word.startswith(part)
        if kind == "suffix" and index == 0:
            return word.endswith(part)
        return part == word

    return wanted and (lambda one: bool(places(wanted, words(one), fits)))


def has_near(texts, most):
    phrases = [phrase for phrase in map(words, texts) if phrase]

    def holds(one):
        all_places = [places(phrase, words(one), equal) for phrase in phrases]
        for chosen in itertools.product(*all_places):
            last = max(chosen)
            if all(last - start - len(phrase) <= most for start, phrase in zip(chosen, phrases)):
                return True
        return False

    return phrases and holds


def has_fuzzy(text, edits):
    wanted = words(text)

    def fits(_, part, word):
        return distance(part, word) <= min(edits, len(part) - 1)

    return wanted and (lambda one: bool(places(wanted, words(one), fits)))


def leaf(node):
    """A function that tests one text; nothing if the term has no words."""
    kind = node[0]
    if kind in ("word", "phrase", "prefix", "suffix"):
        return has_words(kind, node[1])
    if kind == "substring":
        return lambda one: squeezed(node[1], False) in squeezed(one)
    if kind == "beginning":
        return lambda one: squeezed(one).startswith(squeezed(node[1], False))
    if kind == "end":
        return lambda one: squeezed(one).endswith(squeezed(node[1], False))
    if kind == "whole":
        return lambda one: squeezed(one) == squeezed(node[1], False)
    if kind == "fuzzy":
        return has_fuzzy(node[1], node[2])
    if kind == "near":
        return has_near(node[1], node[2])
    if kind == "regex":
        return lambda one: re.search(node[1], squeezed(one), re.IGNORECASE) is not None
    raise ValueError(kind)


def result(node, texts):
    """True, false, or nothing for a part that does not count."""
    if node[0] in ("all", "any"):
        parts = [part for part in (result(one, texts) for one in node[1]) if part is not None]
        return (all if node[0] == "all" else any)(parts) if parts else None
    if node[0] == "not":
        part = result(node[1], texts)
        return None if part is None else not part
    test = leaf(node)
    return any(test(one) for one in texts) if test else None


if __name__ == "__main__":
    print(icu.UNICODE_VERSION)
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            trial = json.loads(line)
            print(1 if result(trial["node"], trial["texts"]) else 0)
