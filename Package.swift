// swift-tools-version: 6.2
import PackageDescription

/// The settings that every Swift target of the house shares.
let house: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// A Swift library target in `Sources`.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: house)
}

/// An executable of programs that are libraries, in `Sources/Executables`.
func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Sources/Executables/" + name,
    swiftSettings: house)
}

/// The tests of one target, in `Tests/<name>Tests`.
func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies,
    exclude: exclude, swiftSettings: house)
}

/// A small program that shows the client library, in `Tests/Examples/<name>`.
func example(_ name: String) -> Target {
  .executableTarget(
    name: name, dependencies: ["ParleyClient", arguments], path: "Tests/Examples/" + name,
    swiftSettings: house)
}

/// Packages that the programs need and the client library does not: see the trait `Programs`.
let programs = TargetDependencyCondition.when(traits: ["Programs"])
let logging = Target.Dependency.product(
  name: "Logging", package: "swift-log", condition: programs)
let arguments = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let deque = Target.Dependency.product(
  name: "DequeModule", package: "swift-collections", condition: programs)
let heap = Target.Dependency.product(
  name: "HeapModule", package: "swift-collections", condition: programs)

/// The two transports of the client library: see Sources/ClientTransport.
let linux = TargetDependencyCondition.when(platforms: [.linux])
let apple = TargetDependencyCondition.when(platforms: [
  .iOS, .macOS, .macCatalyst, .tvOS, .visionOS,
])

let package = Package(
  name: "parley",
  platforms: [.iOS(.v16), .macCatalyst(.v16), .macOS(.v13), .tvOS(.v16), .visionOS(.v1)],
  products: [
    .executable(name: "parleyd", targets: ["parleyd-alone"]),
    .executable(name: "parley-unfurl", targets: ["parley-unfurl-alone"]),
    .executable(name: "parley-thumbnail", targets: ["parley-thumbnail"]),
    .executable(name: "parley", targets: ["parley-alone"]),
    .executable(name: "parley-programs", targets: ["parley-programs"]),
    .library(name: "ParleyClient", targets: ["ParleyClient"]),
  ],
  traits: [
    .default(enabledTraits: ["Programs"]),
    .trait(
      name: "Programs",
      description: "The gateway and the command line; without it, only ParleyClient builds."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // System headers, shims for macros and variadic functions, and what is compiled in as it stands.
    .target(name: "CLinux"),
    .target(name: "CDocuments", exclude: ["Documents"]),
    .target(name: "CRelease"),
    .target(name: "CSendRing", linkerSettings: [.linkedLibrary("uring")]),
    .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CHiredis", linkerSettings: [.linkedLibrary("hiredis")]),
    .target(name: "CPostgreSQL", linkerSettings: [.linkedLibrary("pq")]),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CYAML", linkerSettings: [.linkedLibrary("yaml")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "CCurl",
      linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(
      name: "CDomainNames", linkerSettings: [.linkedLibrary("psl"), .linkedLibrary("idn2")]),

    // Pure cores: bytes and values in, bytes and values out.
    library("Basics"),
    library("HTTP", ["Basics", "COpenSSL", "CZlib"]),
    library("ParleyProtocol", ["Basics"]),
    library("FloodControl"),
    library("Search"),
    library("LinkPreview", ["Basics", "ParleyProtocol", "CDomainNames"]),
    library(
      "Channels", ["Basics", "ParleyProtocol", "FloodControl", "LinkPreview", "Search", deque]),
    library("Uploads", ["Basics", "ParleyProtocol"]),
    library("Cluster", [deque]),
    library("Push", ["Basics", "FloodControl", "ParleyProtocol", "COpenSSL"]),
    library("Thumbnails", ["Basics"]),
    library("Translation", ["Basics", "LinkPreview", "ParleyProtocol", deque]),

    // Mechanism: descriptors, clocks, threads.
    library("Reactor", ["Basics", "CLinux"]),
    library("Crypto", ["Basics", "ParleyProtocol", "COpenSSL"]),
    library("SQLite", ["CSQLite"]),
    library("PostgreSQL", ["CPostgreSQL"]),
    library("Streams", ["Basics", "Reactor", "COpenSSL"]),
    library(
      "Bus", ["Basics", "Cluster", "Crypto", "PostgreSQL", "Reactor", "Streams", "CHiredis", deque]),
    library(
      "Transport",
      ["Basics", "Reactor", "Streams", "HTTP", "CLinux", "CSendRing"]),
    library(
      "Store",
      [
        "Basics", "CCurl", "Channels", "Crypto", "Curl", "ParleyProtocol", "PostgreSQL", "Push",
        "Reactor", "Search", "SQLite", "Uploads", deque, logging,
      ]),
    library("Telemetry", ["Basics", "Reactor", logging]),
    library("Curl", ["Basics", "LinkPreview", "Reactor", "CCurl"]),
    library("Lanes", ["Cluster", "Store"]),
    library("Thumbnailer", ["Reactor", "Thumbnails", "CLinux"]),
    library(
      "KeySets", ["Basics", "CCurl", "Crypto", "Curl", "ParleyProtocol", "Reactor", logging]),
    library(
      "Translator",
      ["Basics", "Crypto", "Curl", "CCurl", "Reactor", "SQLite", "Translation", logging]),

    library(
      "Hooks",
      ["Basics", "Crypto", "CCurl", "Curl", "ParleyProtocol", "Reactor", deque, logging]),

    // Composition: where chat and mechanism meet.
    library(
      "Configuration",
      [
        "Basics", "FloodControl", "LinkPreview", "ParleyProtocol", "Push", "Reactor", "Thumbnails",
        "Translation", "CRelease", "CYAML",
      ]),
    library(
      "Unfurler",
      [
        "Basics", "Configuration", "LinkPreview", "ParleyProtocol", "Reactor", "CCurl", "Curl",
        "SQLite", deque, logging,
      ]),
    library(
      "Webhooks",
      [
        "Basics", "Cluster", "Crypto", "Lanes", "ParleyProtocol", "Reactor", "Store", "CCurl",
        "Curl",
        deque, heap, logging,
      ]),
    library(
      "PushDelivery",
      [
        "Basics", "Channels", "Cluster", "Crypto", "FloodControl", "Lanes", "LinkPreview",
        "ParleyProtocol", "Push", "Reactor", "Store", "Telemetry", "CCurl", "Curl", deque, heap,
        logging,
      ]),
    library("Daemon", ["Configuration", "Reactor", "Telemetry", arguments, logging]),
    library(
      "Gateway",
      [
        "Basics", "HTTP", "ParleyProtocol", "FloodControl", "Hooks", "KeySets", "LinkPreview",
        "Channels", "Cluster", "Lanes", "Reactor", "Streams", "Transport", "Store", "Telemetry",
        "Configuration",
        "Unfurler", "Bus", "PostgreSQL", "Crypto", "Push", "PushDelivery", "Thumbnailer",
        "Thumbnails", "Translation", "Translator", "Uploads", "Webhooks", "CDocuments", "COpenSSL",
        deque, logging,
      ]),

    // For applications in Swift: the protocol from the other side.
    library("ClientTransport", ["Basics"]),
    library(
      "ClientSockets",
      ["Basics", "ClientTransport", "HTTP", "ParleyProtocol", "Reactor", "Streams"]),
    library("ClientFoundation", ["ClientTransport"]),
    library(
      "ParleyClient",
      [
        "Basics", "ClientTransport", "ParleyProtocol",
        .target(name: "ClientSockets", condition: linux),
        .target(name: "LinkPreview", condition: linux),
        .target(name: "ClientFoundation", condition: apple),
      ]),
    library(
      "LoadGenerator",
      [
        "Basics", "ClientSockets", "ClientTransport", "FloodControl", "ParleyProtocol", "Reactor",
        "HTTP",
      ]),

    // Programs: settings in, a daemon or a command line out.
    library(
      "parleyd", ["Gateway", "Daemon", "Configuration", "SQLite", "Store", arguments, logging]),
    library(
      "parley-unfurl",
      [
        "Configuration", "Daemon", "HTTP", "ParleyProtocol", "Reactor", "Telemetry", "Transport",
        "Unfurler", arguments, logging,
      ]),
    .executableTarget(
      name: "parley-thumbnail", dependencies: ["Thumbnails", "CRelease", "CLinux"],
      swiftSettings: house),
    library(
      "parley",
      [
        "Basics", "ParleyClient", "ClientTransport", "Configuration", "Crypto", "FloodControl",
        "HTTP", "KeySets", "LinkPreview", "LoadGenerator", "ParleyProtocol", "Reactor", "Store",
        "CCurl",
        "Curl", arguments,
      ]),

    // Executables: each program alone, and all in one file that is installed under their names.
    executable("parleyd-alone", ["parleyd"]),
    executable("parley-unfurl-alone", ["parley-unfurl"]),
    executable("parley-alone", ["parley"]),
    executable("parley-programs", ["parleyd", "parley-unfurl", "parley"]),

    // Tests, and the programs that only tests need.
    .executableTarget(
      name: "conformance-echo", dependencies: ["Transport", "Reactor", "HTTP", arguments],
      path: "Tests/conformance-echo", exclude: ["expected-results.json", "results.py"],
      swiftSettings: house),
    .executableTarget(
      name: "extractor-throughput", dependencies: ["LinkPreview"],
      path: "Tests/Benchmarks/extractor-throughput", swiftSettings: house),
    .executableTarget(
      name: "web-push-rate", dependencies: ["ParleyProtocol", "Push"],
      path: "Tests/Benchmarks/web-push-rate",
      swiftSettings: house),
    .executableTarget(
      name: "thumbnail-cost", dependencies: ["Reactor", "Thumbnailer", "Thumbnails"],
      path: "Tests/Benchmarks/thumbnail-cost", swiftSettings: house),
    .executableTarget(
      name: "bus-latency", dependencies: ["Basics", "Bus", "CHiredis", "Reactor"],
      path: "Tests/Benchmarks/bus-latency", swiftSettings: house),
    .target(
      name: "CFaultyDisk", path: "Tests/CFaultyDisk",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "store-crash-writer",
      dependencies: ["CFaultyDisk", "Channels", "Store", "ParleyProtocol"],
      path: "Tests/store-crash-writer", swiftSettings: house),
    // Without Swift's library, which lies where the walls let nothing be read.
    .executableTarget(
      name: "thumbnail-intruder", path: "Tests/thumbnail-intruder",
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .target(
      name: "TestSupport", dependencies: ["Cluster", "Reactor"], path: "Tests/TestSupport",
      swiftSettings: house),
    .target(
      name: "TestPeers",
      dependencies: ["HTTP", "ParleyProtocol", "Streams", "TestSupport", "COpenSSL"],
      path: "Tests/TestPeers", swiftSettings: house),
    example("echo-bot"),
    example("terminal-chat"),
    example("preview-renderer"),
    tests("Basics"),
    tests("HTTP", ["Basics"]),
    tests("ParleyProtocol", ["Basics"]),
    tests("FloodControl"),
    tests("Search"),
    tests("Channels", ["FloodControl", "LinkPreview", "ParleyProtocol"]),
    tests("Uploads", ["Basics", "ParleyProtocol"]),
    tests("Cluster", [heap]),
    tests("Push", ["Basics", "COpenSSL", "Crypto", "FloodControl", "ParleyProtocol"]),
    tests("LinkPreview", ["Basics", "ParleyProtocol"], exclude: ["Corpus"]),
    tests("Reactor", ["TestPeers"]),
    tests("SQLite"),
    tests("PostgreSQL"),
    tests("Bus", ["Basics", "Cluster", "PostgreSQL", "Reactor", "TestPeers"]),
    tests("Curl", ["CCurl", "Reactor", "TestPeers"]),
    tests("Lanes", ["Cluster", "Store"]),
    tests("Crypto", ["Basics", "COpenSSL", "ParleyProtocol"]),
    tests("KeySets", ["Basics", "Crypto", "ParleyProtocol", "Reactor", "TestPeers", logging]),
    tests("Streams", ["Reactor", "TestPeers", "COpenSSL"]),
    tests("Transport", ["TestPeers", "Reactor", "HTTP", "Streams", "Basics"]),
    tests(
      "Store",
      [
        "Channels", "Crypto", "CSQLite", "ParleyProtocol", "PostgreSQL", "Push", "Reactor",
        "Search", "SQLite", "TestPeers", "Uploads", logging, "store-crash-writer",
      ]),
    tests("Telemetry", ["Reactor", logging]),
    tests("Configuration", ["Basics", "FloodControl", "ParleyProtocol", "Push", "Reactor"]),
    tests("Daemon", ["Configuration", "Reactor", logging]),
    tests("Hooks", ["Basics", "ParleyProtocol", "TestPeers", logging]),
    tests("Thumbnails"),
    tests("Translation", ["Basics", "ParleyProtocol"]),
    tests("Translator", ["SQLite", "TestPeers", "Translation", logging]),
    tests(
      "Thumbnailer", ["Reactor", "Thumbnails", "parley-thumbnail", "thumbnail-intruder"]),
    tests(
      "Unfurler",
      [
        "Basics", "CCurl", "COpenSSL", "Configuration", "Curl", "LinkPreview", "ParleyProtocol",
        "Reactor", "SQLite", "TestPeers", logging,
      ]),
    tests(
      "Webhooks",
      [
        "Cluster", "Crypto", "Lanes", "ParleyProtocol", "Reactor", "Store", "TestPeers", deque,
        logging,
      ]),
    tests(
      "PushDelivery",
      [
        "Basics", "Channels", "Cluster", "COpenSSL", "Crypto", "Lanes", "LinkPreview",
        "ParleyProtocol", "Push", "Reactor", "Store", "TestPeers", deque, logging,
      ]),
    tests(
      "Gateway",
      [
        "Channels", "Cluster", "ParleyProtocol", "FloodControl", "Configuration", "LinkPreview",
        "Unfurler", "Transport", "Reactor", "HTTP", "Store", "TestPeers", "Basics", "Crypto",
        "Uploads", logging,
      ]),
    tests(
      "LoadGenerator",
      [
        "ClientSockets", "ClientTransport", "FloodControl", "ParleyProtocol", "Reactor",
        "TestPeers",
      ]
    ),
    tests("ClientFoundation", ["ClientSockets", "ClientTransport", "TestPeers"]),
    tests(
      "ParleyClient",
      [
        "Basics", "ClientSockets", "ClientTransport", "HTTP", "ParleyProtocol", "Reactor",
        "Streams", "COpenSSL", "TestPeers",
      ]),
    // The harnesses of fuzzing, replayed on their corpora; Scripts/fuzz compiles them by itself.
    .testTarget(
      name: "FuzzingTests",
      dependencies: [
        "Basics", "Bus", "ParleyClient", "ClientSockets", "ClientTransport", "Cluster",
        "Configuration", "Gateway", "HTTP",
        "LinkPreview", "ParleyProtocol", "Channels", "Push", "Search", "Store", "TestSupport",
        "Crypto", "Thumbnails", "Translation", "Transport", "Unfurler",
      ],
      path: "Tests/Fuzzing", exclude: ["Corpora"], swiftSettings: house),
    .testTarget(
      name: "ParleyClientIntegrationTests",
      dependencies: [
        "Basics", "ParleyClient", "ClientFoundation", "ClientSockets", "ClientTransport",
        "ParleyProtocol", "TestSupport", "TestPeers", "COpenSSL", "parleyd", "echo-bot",
        "terminal-chat", "preview-renderer",
      ],
      swiftSettings: house),
    .testTarget(
      name: "ParleyUnfurlTests",
      dependencies: [
        "Basics", "HTTP", "LinkPreview", "ParleyProtocol", "Reactor", "TestPeers", "TestSupport",
        "Unfurler", "parley-unfurl", logging,
      ],
      swiftSettings: house),
    .testTarget(
      name: "ParleyCommandTests",
      dependencies: [
        "Basics", "ParleyProtocol", "TestSupport", "TestPeers", "parley", "parleyd", arguments,
      ],
      swiftSettings: house),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "TestSupport", "TestPeers", "ParleyProtocol", "parleyd", "parley-unfurl", "parley",
      ],
      swiftSettings: house),
  ],
  swiftLanguageModes: [.v6]
)
