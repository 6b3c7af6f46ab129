// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "todana",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Todana", targets: ["Todana"])
  ],
  targets: [
    // Foreign libraries, each behind a module map of its own.
    .systemLibrary(
      name: "CKyotoCabinetLibrary",
      pkgConfig: "kyotocabinet",
      providers: [.apt(["libkyotocabinet-dev"]), .brew(["kyoto-cabinet"])]
    ),
    .systemLibrary(
      name: "CXXHash",
      pkgConfig: "libxxhash",
      providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]
    ),
    .systemLibrary(
      name: "CLibCrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),

    // The crash-safe layer: the only place that includes Kyoto Cabinet's headers.
    .target(
      name: "CKyotoCabinet",
      dependencies: ["CKyotoCabinetLibrary", "CXXHash"]
    ),

    // The library.
    .target(
      name: "Todana",
      dependencies: ["CKyotoCabinet", "CXXHash"]
    ),

    // What tests share.
    .target(
      name: "TestSupport",
      dependencies: ["Todana"],
      path: "Tests/TestSupport"
    ),
    // A process that tests start, and kill.
    .executableTarget(
      name: "CrashChild",
      dependencies: ["Todana", "TestSupport"],
      path: "Tests/CrashChild"
    ),
    .testTarget(
      name: "TodanaTests",
      dependencies: ["Todana", "TestSupport"]
    ),
    // One suite that holds every backend to the contract of StoreBackend.
    .testTarget(
      name: "BackendConformanceTests",
      dependencies: ["Todana", "TestSupport", "CrashChild"]
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// One list of settings for every Swift target.
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
  // SE-0480: no warnings, but a deprecation may stand until its release.
  .treatAllWarnings(as: .error),
  .treatWarning("DeprecatedDeclaration", as: .warning),
]

let swiftTargetNames: Set<String> = [
  "Todana", "TestSupport", "CrashChild", "TodanaTests", "BackendConformanceTests",
]
for target in package.targets where swiftTargetNames.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + swiftSettings
}
