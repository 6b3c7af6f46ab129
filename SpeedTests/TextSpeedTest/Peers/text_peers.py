"""A phase of a peer of TextSpeedTest that has an interface for Python.

usage: python3 text_peers.py MODULE JOB.json

Reads the job that TextJob.swift describes, measures the work itself, and prints one line of JSON for each
result, as TextOutcome does.
"""

import itertools
import json
import re
import sys
import time


def texts(path, count):
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in itertools.islice(file, count):
            yield line.rstrip("\n")


def emit(**outcome):
    outcome = {"wallSeconds": [], "cpuSeconds": [], **outcome}
    print(json.dumps(outcome), flush=True)


class Clock:
    """The durations of repeated work."""

    def __init__(self):
        self.wall, self.cpu = [], []

    def measure(self, body):
        wall, cpu = time.monotonic(), time.process_time()
        value = body()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.monotonic() - wall)
        return value

    @property
    def durations(self):
        return {"wallSeconds": self.wall, "cpuSeconds": self.cpu}


class Tantivy:
    """An index in a directory, written by one thread."""

    def __init__(self, job):
        import tantivy

        self.module, self.job = tantivy, job
        self.version = getattr(tantivy, "__version__", "tantivy").split(",")[0]
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("title", stored=True, tokenizer_name="folded", index_option="position")
        builder.add_integer_field("row", stored=True)
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema, path=job["directory"])
        folded = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        folded = folded.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold()).build()
        self.index.register_tokenizer("folded", folded)

    def writer(self):
        return self.index.writer(heap_size=128 << 20, num_threads=1)

    def build(self):
        writer = self.writer()
        for number, text in enumerate(texts(self.job["corpus"], self.job["count"]), 1):
            writer.add_document(self.module.Document(title=text, row=number))
        writer.commit()
        writer.wait_merging_threads()

    def open_for_search(self):
        self.index.reload()
        self.searcher = self.index.searcher()

    def query(self, query):
        make, schema, terms = self.module.Query, self.schema, query["terms"]
        kind, first = query["kind"], terms[0]
        if kind == "all" and len(terms) == 1:
            return make.term_query(schema, "title", first)
        if kind in ("all", "any"):
            occur = self.module.Occur.Must if kind == "all" else self.module.Occur.Should
            return make.boolean_query([(occur, make.term_query(schema, "title", term)) for term in terms])
        if kind == "phrase":
            return make.phrase_query(schema, "title", terms)
        if kind == "prefix":
            return make.regex_query(schema, "title", re.escape(first) + ".*")
        if kind == "fuzzy":
            return make.fuzzy_term_query(schema, "title", first, query["edits"], True, False)
        pattern = first if kind == "regularExpression" else re.escape(first)
        return make.regex_query(schema, "title", ".*" + pattern + ".*")

    def prepare(self, query):
        made = self.query(query)
        count = self.searcher.search(made, limit=1, count=True).count
        # Without relevance, all texts have one score.
        if query["result"] != "top":
            made = self.module.Query.const_score_query(made, 1.0)
        limit = query.get("limit") or max(1, count)

        def fetch():
            for _, address in self.searcher.search(made, limit=limit, count=False).hits:
                yield self.searcher.doc(address)

        def run():
            if query["result"] == "ids":
                return len(self.searcher.search(made, limit=limit, count=False).hits) * 0
            return sum(len(document["title"][0].encode()) for document in fetch())

        return {"count": count, "run": run, "rows": lambda: [document["row"][0] for document in fetch()]}

    def open_for_saves(self):
        self.saving = self.writer()

    def save(self, text):
        self.saving.add_document(self.module.Document(title=text, row=0))
        self.saving.commit()


class Xapian:
    """A database with positions, and with n-grams of Chinese and Japanese characters."""

    def __init__(self, job):
        import xapian

        self.module, self.job = xapian, job
        self.version = "Xapian " + xapian.version_string()
        self.path = job["directory"] + "/xapian"
        self.generator = xapian.TermGenerator()
        self.generator.set_flags(xapian.TermGenerator.FLAG_CJK_NGRAM)

    def document(self, text):
        document = self.module.Document()
        document.set_data(text)
        self.generator.set_document(document)
        self.generator.set_termpos(0)
        self.generator.index_text(text)
        return document

    def build(self):
        database = self.module.WritableDatabase(self.path, self.module.DB_CREATE_OR_OPEN)
        for text in texts(self.job["corpus"], self.job["count"]):
            database.add_document(self.document(text))
        database.commit()
        database.close()

    def open_for_search(self):
        self.database = self.module.Database(self.path)

    def query(self, query):
        make, kind, terms = self.module.Query, query["kind"], query["terms"]
        if kind == "all":
            return make(make.OP_AND, terms)
        if kind == "any":
            return make(make.OP_OR, terms)
        if kind == "phrase":
            return make(make.OP_PHRASE, terms, len(terms))
        if kind == "prefix":
            return make(make.OP_WILDCARD, terms[0], 0, make.WILDCARD_LIMIT_ERROR, make.OP_SYNONYM)
        if kind == "substring" and not terms[0].isascii():
            characters = list(terms[0])
            return make(make.OP_PHRASE, characters, len(characters)) if len(characters) > 2 else make(terms[0])
        return None

    def prepare(self, query):
        made = self.query(query)
        if made is None:
            return None
        total = self.database.get_doccount()

        def search(limit):
            enquire = self.module.Enquire(self.database)
            enquire.set_query(made)
            if query["result"] != "top":
                enquire.set_weighting_scheme(self.module.BoolWeight())
                enquire.set_docid_order(self.module.Enquire.ASCENDING)
            return enquire.get_mset(0, limit)

        limit = query.get("limit") or total

        def run():
            if query["result"] == "ids":
                return sum(1 for match in search(limit)) * 0
            return sum(len(match.document.get_data()) for match in search(limit))

        return {"count": len(search(total)), "run": run, "rows": lambda: [match.docid for match in search(limit)]}

    def open_for_saves(self):
        self.database = self.module.WritableDatabase(self.path, self.module.DB_OPEN)

    def save(self, text):
        self.database.add_document(self.document(text))
        self.database.commit()


def search(peer, job, query):
    prepared = peer.prepare(query)
    if prepared is None:
        return {"isUnsupported": True}
    outcome = {"hitCount": prepared["count"], "readsAll": False}
    is_top = query["result"] == "top"
    if is_top:
        outcome["rows"] = prepared["rows"]()
    repetitions = job["topRepetitions"] if is_top else job["repetitions"]
    # The first run fills caches and is not counted, unless it is the only one.
    if repetitions > 1:
        prepared["run"]()
    clock = Clock()
    end = time.monotonic() + job["secondsPerQuery"]
    for repetition in range(repetitions):
        if repetition > 0 and time.monotonic() > end:
            break
        outcome["fetchedByteCount"] = clock.measure(prepared["run"])
    return {**outcome, **clock.durations}


def main():
    module, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    peer = {"tantivy": Tantivy, "xapian": Xapian}[module](job)
    if job["phase"] == "build":
        clock = Clock()
        clock.measure(peer.build)
        emit(version=peer.version, **clock.durations)
    elif job["phase"] == "search":
        peer.open_for_search()
        for query in job["queries"]:
            try:
                outcome = search(peer, job, query)
            except Exception as error:
                # The report shows the error, and the other queries still run.
                outcome = {"error": f"{type(error).__name__}: {error}"}
            emit(query=query["id"], **outcome)
    else:
        peer.open_for_saves()
        lines = list(texts(job["corpus"], min(job["count"], job["saves"])))
        clock = Clock()
        end = time.monotonic() + job["secondsOfSaves"]
        for number in range(job["saves"]):
            if time.monotonic() > end:
                break
            clock.measure(lambda: peer.save(lines[number % len(lines)]))
        emit(**clock.durations)


main()
