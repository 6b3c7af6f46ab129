// swift-tools-version: 6.3

import Foundation
import PackageDescription

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

// System libraries, each with a module map.
let systemLibraries: [Target] = [
  .systemLibrary(
    name: "CKyotoCabinetLibrary",
    pkgConfig: "kyotocabinet",
    providers: [.apt(["libkyotocabinet-dev"]), .brew(["kyoto-cabinet"])]
  ),
  .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
  .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(name: "CCSV", providers: [.apt(["libcsv-dev"]), .brew(["libcsv"])]),
  .systemLibrary(name: "CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
  // Databases of older libraries. Only LegacyStores, and so todana-convert, links SQLite.
  .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  // Tokyo Cabinet, which makes files for the tests of LegacyStores. No product links it.
  .systemLibrary(
    name: "CTokyoCabinet",
    pkgConfig: "tokyocabinet",
    providers: [.apt(["libtokyocabinet-dev"]), .brew(["tokyo-cabinet"])]
  ),
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
  .systemLibrary(
    name: "CLibArchive",
    pkgConfig: "libarchive",
    providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]
  ),
]

// Targets of C and C++.
var cTargets: [Target] = [
  // Encryption and authentication. The only target that includes libcrypto's headers.
  .target(name: "CThreads"),
  .target(name: "CSealing", dependencies: ["CThreads", "CLibCrypto"]),
  // The storage engine, in layers. Only its folder Kyoto includes Kyoto Cabinet's headers.
  .target(
    name: "CStorageEngine",
    dependencies: ["CThreads", "CKyotoCabinetLibrary", "CSealing", "CXXHash"],
    cxxSettings: [.treatWarning("thread-safety", as: .error)]
  ),
  // Folding and words of texts, by tables of one version of Unicode.
  .target(name: "CUnicode"),
  // Segments of text indexes.
  .target(name: "CTextIndex"),
  // Regular expressions of RE2. The only target that includes its headers. It is no system library: Debian's pkg-config
  // file has the flag -pthread, which the package manager refuses.
  .target(name: "CRegularExpressions", linkerSettings: [.linkedLibrary("re2")]),
  // JSON by RapidJSON. The only target that includes its headers. It is no system library: it has headers only, in C++.
  .target(name: "CJSON"),
  // System calls that Swift's import of the C library lacks.
  .target(name: "CFileSystem"),
  // The process of the tool: arguments, standard descriptors, signals, and the commands that it starts.
  .target(name: "CProcess"),

  // Simulated power failures of the storage engine.
  .target(name: "CPowerFailure", dependencies: ["CStorageEngine"], path: "Tests/CPowerFailure"),
  // The parts of sealing, for tests with known answers.
  .target(name: "CSealingProbe", dependencies: ["CSealing"], path: "Tests/CSealingProbe"),
  // Failing system calls, in the process that links this target.
  .target(name: "CFaults", path: "Tests/CFaults"),
  // Mounts of full and read-only disks.
  .target(name: "CPrivateMount", path: "Tests/CPrivateMount"),
  // Entry points for the fuzzers and for the test that replays their corpus: one function for each decoder.
  .target(
    name: "CFuzzTargets",
    dependencies: ["CStorageEngine", "CSealing", "CTextIndex", "CXXHash"],
    path: "Tests/CFuzzTargets"
  ),
]

// Targets of Swift. All of them get the settings below.
var swiftTargets: [Target] = [
  .target(
    name: "Todana",
    dependencies: [
      "CThreads", "CStorageEngine", "CSealing", "CStemmer", "CTextIndex", "CUnicode", "CRegularExpressions", "CXXHash",
      logging,
    ]
  ),
  // Archives of files, built on the library's public API.
  .target(
    name: "TodanaArchive",
    dependencies: ["Todana", "CFileSystem", "CLibArchive", "CLibCrypto", "CSealing", "CZlib", "CZstd"]
  ),
  // Documents and collections of documents, built on the library's public API.
  .target(name: "TodanaDocuments", dependencies: ["CCSV", "CJSON", "CXXHash", "Todana"]),
  // Readers of the files of three older libraries: NanoStore, NTJsonStore and BNRPersistence. No product by itself.
  .target(name: "LegacyStores", dependencies: ["CLibCrypto", "CSQLite", "TodanaDocuments"]),
  // The converter of these files.
  .executableTarget(
    name: "TodanaConvert", dependencies: ["LegacyStores", "Todana", "TodanaDocuments", argumentParser]),
  // The widths of texts on terminals.
  .target(name: "TerminalText"),
  .executableTarget(
    name: "TodanaTool",
    dependencies: ["CProcess", "TerminalText", "Todana", "TodanaArchive", "TodanaDocuments", argumentParser]
  ),

  // Helpers that several test targets share.
  .target(name: "TestSupport", dependencies: ["Todana"], path: "Tests/TestSupport"),
  // A backend as in a foreign package: without access to `package` declarations of this one.
  .target(name: "SmallBackend", dependencies: ["Todana"], path: "Tests/SmallBackend", packageAccess: false),
  // A process that tests start and kill.
  .executableTarget(
    name: "CrashChild",
    dependencies: ["CFaults", "CPrivateMount", "Todana", "TodanaArchive", "TestSupport"],
    path: "Tests/CrashChild"
  ),
  .target(
    name: "FuzzTargets",
    dependencies: ["CFuzzTargets", "Todana", "TodanaDocuments"],
    path: "Tests/FuzzTargets"
  ),

  // The storage engine and the sealing, through their C interfaces.
  .testTarget(
    name: "EngineTests",
    dependencies: [
      "CPowerFailure", "CSealingProbe", "CStorageEngine", "CXXHash", "CrashChild", "FuzzTargets", "TestSupport",
      "Todana",
    ]
  ),
  // Each part of the library.
  .testTarget(
    name: "TodanaTests",
    dependencies: [
      "CFuzzTargets", "CPowerFailure", "CSealingProbe", "CUnicode", "CXXHash", "CrashChild", "FuzzTargets",
      "SmallBackend", "TestSupport", "Todana",
      logging,
    ]
  ),
  // Relationships, their rules and inverses, hooks, undo, and copies.
  .testTarget(name: "ObjectGraphTests", dependencies: ["CrashChild", "SmallBackend", "TestSupport", "Todana"]),
  .testTarget(
    name: "TodanaArchiveTests",
    dependencies: [
      "CFileSystem", "CPowerFailure", "CPrivateMount", "CrashChild", "TodanaArchive", "Todana", "TestSupport",
    ]
  ),
  .testTarget(name: "TodanaDocumentsTests", dependencies: ["FuzzTargets", "TestSupport", "Todana", "TodanaDocuments"]),
  // The readers of older libraries' files, and the converter as a process.
  .testTarget(
    name: "LegacyStoresTests",
    dependencies: [
      "CLibCrypto", "CSQLite", "CTokyoCabinet", "LegacyStores", "TestSupport", "Todana", "TodanaConvert",
      "TodanaDocuments",
    ]
  ),
  // The tool, and the example of a search field, as processes.
  .testTarget(
    name: "TodanaToolTests",
    dependencies: ["CrashChild", "TerminalText", "TestSupport", "TextSearchDemo", "Todana", "TodanaTool"]
  ),
  // Misuse that only debug builds detect.
  .testTarget(name: "DebugBuildTests", dependencies: ["TestSupport", "Todana", "TodanaArchive"]),
  // A suite that tests every backend against the contract of StoreBackend.
  .testTarget(name: "BackendConformanceTests", dependencies: ["Todana", "SmallBackend", "TestSupport", "CrashChild"]),
  // Whole stores: killed processes, damaged files, full disks, limits, memory.
  .testTarget(name: "AcceptanceTests", dependencies: ["CrashChild", "TestSupport", "Todana"]),

  // The programs of README.md and of the guides, word for word.
  .executableTarget(name: "ReadmeExample", dependencies: ["Todana"], path: "Tests/ReadmeExample"),
  .executableTarget(name: "GuideExample", dependencies: ["Todana"], path: "Tests/GuideExample"),
  .executableTarget(name: "FindingExample", dependencies: ["Todana"], path: "Tests/FindingExample"),
  .executableTarget(name: "ChangingClassesExample", dependencies: ["Todana"], path: "Tests/ChangingClassesExample"),
  .executableTarget(
    name: "BagsExample", dependencies: ["Todana", "TodanaDocuments"], path: "Tests/BagsExample"),
  .executableTarget(
    name: "NanoStoreExample", dependencies: ["Todana", "TodanaDocuments"], path: "Tests/NanoStoreExample"),
  .executableTarget(name: "NoDBExample", dependencies: ["Todana", "TodanaDocuments"], path: "Tests/NoDBExample"),
  .executableTarget(
    name: "NTJsonStoreExample",
    dependencies: ["Todana", "TodanaDocuments"],
    path: "Tests/NTJsonStoreExample"
  ),
  .executableTarget(
    name: "ImportingExample",
    dependencies: ["Todana", "TodanaDocuments"],
    path: "Tests/ImportingExample"
  ),
  .executableTarget(
    name: "DocumentsExample",
    dependencies: ["Todana", "TodanaDocuments"],
    path: "Tests/DocumentsExample"
  ),
  .executableTarget(name: "DeleteRulesExample", dependencies: ["Todana"], path: "Tests/DeleteRulesExample"),
  .executableTarget(name: "RelationshipsExample", dependencies: ["Todana"], path: "Tests/RelationshipsExample"),
  .executableTarget(name: "SearchingExample", dependencies: ["Todana"], path: "Tests/SearchingExample"),
  .executableTarget(name: "SearchAsYouTypeExample", dependencies: ["Todana"], path: "Tests/SearchAsYouTypeExample"),
  // A search field on a terminal, over the lines of a file.
  .executableTarget(
    name: "TextSearchDemo",
    dependencies: ["TerminalText", "Todana", argumentParser],
    path: "Examples/TextSearchDemo"
  ),
  // A program whose default isolation is the main actor.
  .target(
    name: "MainActorExample",
    dependencies: ["Todana"],
    path: "Tests/MainActorExample",
    swiftSettings: [.defaultIsolation(MainActor.self)]
  ),
  // The documents: their programs, their links, and what they say of the sources.
  .testTarget(
    name: "DocumentationTests",
    dependencies: [
      "BagsExample", "ChangingClassesExample", "DeleteRulesExample", "DocumentsExample", "FindingExample",
      "GuideExample", "ImportingExample", "MainActorExample", "NTJsonStoreExample", "NanoStoreExample", "NoDBExample",
      "ReadmeExample", "RelationshipsExample", "SearchAsYouTypeExample", "SearchingExample", "TestSupport", "Todana",
    ]
  ),
]

var dependencies: [Package.Dependency] = [
  .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
]

/// Tests whether a variable of the environment is set to 1.
func isSet(_ variable: String) -> Bool { ProcessInfo.processInfo.environment[variable] == "1" }

// The speed tests and the peers that Todana is measured against. A package that depends on Todana uses none of their
// products, so it neither builds nor fetches them. TODANA_WITHOUT_SPEED_TESTS=1 leaves them out here, too.
if !isSet("TODANA_WITHOUT_SPEED_TESTS") {
  dependencies.append(.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"))
  // Stock Kyoto Cabinet, to measure the cost that Todana adds.
  cTargets.append(.target(name: "CRawKyoto", dependencies: ["CKyotoCabinetLibrary"], path: "SpeedTests/CRawKyoto"))
  swiftTargets += [
    // Processes, meters and tables: everything except workloads and subjects.
    .target(name: "SpeedTestHarness", dependencies: [argumentParser], path: "SpeedTests/Harness"),
    // Todana and its peers, one file for each.
    .target(
      name: "SpeedTestSubjects",
      dependencies: [
        "CRawKyoto", "SpeedTestHarness", "Todana", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "SpeedTests/Subjects"
    ),
    .executableTarget(
      name: "InsertSpeedTest",
      dependencies: ["SpeedTestHarness", "SpeedTestSubjects"],
      path: "SpeedTests/InsertSpeedTest"
    ),
    .executableTarget(
      name: "FetchSpeedTest",
      dependencies: ["SpeedTestHarness", "SpeedTestSubjects"],
      path: "SpeedTests/FetchSpeedTest"
    ),
    .executableTarget(
      name: "DurabilitySpeedTest",
      dependencies: ["SpeedTestHarness", "Todana", argumentParser],
      path: "SpeedTests/DurabilitySpeedTest"
    ),
    .executableTarget(
      name: "CliffSpeedTest",
      dependencies: ["Todana", argumentParser],
      path: "SpeedTests/CliffSpeedTest"
    ),
    // Collections of documents, beside JSON in SQLite.
    .executableTarget(
      name: "DocumentSpeedTest",
      dependencies: [
        "SpeedTestHarness", "Todana", "TodanaDocuments", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "SpeedTests/DocumentSpeedTest"
    ),
    // Full-text indexes. Peers in Python are run by a script that the program contains.
    .executableTarget(
      name: "TextSpeedTest",
      dependencies: ["CZlib", "SpeedTestHarness", "SpeedTestSubjects", "Todana", argumentParser],
      path: "SpeedTests/TextSpeedTest",
      resources: [.embedInCode("Peers/text_peers.py")]
    ),
    .testTarget(
      name: "SpeedTestHarnessTests",
      dependencies: [
        "CliffSpeedTest", "DocumentSpeedTest", "DurabilitySpeedTest", "FetchSpeedTest", "InsertSpeedTest",
        "SpeedTestHarness",
        "TextSpeedTest",
      ]
    ),
  ]
}

// The plugin that makes the documentation's pages; Scripts/document runs it.
if isSet("TODANA_DOCUMENTATION") {
  dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.3"))
}

// The tests that differ in debug builds, and those of the speed tests: the part of Scripts/setup-and-test that runs on a
// debug build. All other tests run on an optimized build there.
if isSet("TODANA_DEBUG_BUILD_TESTS") {
  let chosen = ["DebugBuildTests", "SpeedTestHarnessTests"]
  swiftTargets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}

// The fuzzer. It links libFuzzer, which defines main; Scripts/fuzz builds it.
if isSet("TODANA_FUZZER") {
  swiftTargets.append(.executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Fuzz/Fuzzer"))
}

let swiftSettings: [SwiftSetting] = [
  // SE-0335: an existential is written `any P`.
  .enableUpcomingFeature("ExistentialAny"),
  // SE-0409: an import is internal unless it says otherwise.
  .enableUpcomingFeature("InternalImportsByDefault"),
  // SE-0444: a member is visible only where its module is imported.
  .enableUpcomingFeature("MemberImportVisibility"),
  // SE-0470: a conformance is isolated as its type is.
  .enableUpcomingFeature("InferIsolatedConformances"),
  // SE-0461: a nonisolated async function runs where its caller runs.
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  // SE-0481: a weak capture cannot be reassigned.
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  // SE-0458: each unsafe expression says so.
  .strictMemorySafety(),
  // SE-0480: no warnings, but deprecated names may be used until they are removed.
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

for target in swiftTargets {
  target.swiftSettings = (target.swiftSettings ?? []) + swiftSettings
  // Tests gain little from optimization, which would take most of the time of an optimized build of all targets.
  if target.type == .test { target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release))) }
}

let package = Package(
  name: "todana",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Todana", targets: ["Todana"]),
    .library(name: "TodanaArchive", targets: ["TodanaArchive"]),
    .library(name: "TodanaDocuments", targets: ["TodanaDocuments"]),
    .executable(name: "todana", targets: ["TodanaTool"]),
    .executable(name: "todana-convert", targets: ["TodanaConvert"]),
  ],
  dependencies: dependencies,
  targets: systemLibraries + cTargets + swiftTargets,
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
