"""Ranks texts with SQLite's FTS5.

Reads a JSON object: "rows", each a list of texts; "weights", one for each column; "queries", in the syntax of FTS5.
Prints a line for each query: the row ids and bm25 values, as a JSON list of pairs, in ascending order of row ids.
"""

import json
import sqlite3
import sys


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        trial = json.load(file)
    columns = [f"c{number}" for number in range(len(trial["weights"]))]
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE t USING fts5({', '.join(columns)}, tokenize = 'ascii')")
    places = ", ".join("?" for _ in columns)
    database.executemany(f"INSERT INTO t VALUES ({places})", trial["rows"])
    weights = ", ".join(str(weight) for weight in trial["weights"])
    for query in trial["queries"]:
        rows = database.execute(f"SELECT rowid, bm25(t, {weights}) FROM t WHERE t MATCH ? ORDER BY rowid", [query])
        print(json.dumps(rows.fetchall()))


if __name__ == "__main__":
    main()
