internal import Basics

/// The report of `parley-thumbnail`, with one line for each item.
package struct HelperReport: Hashable, Sendable {
  /// The maximum number of bytes read of a report.
  package static let byteLimit = 4_096

  private static let reasonLimit = 500

  /// The name of the program itself in the list of programs that have run.
  package static let helper = "parley-thumbnail"

  /// The indexes of the boxes whose thumbnails are complete.
  package private(set) var made: Set<Int> = []
  package private(set) var walls = ThumbnailWalls()
  /// The programs that have run.
  package private(set) var works: Set<String> = []
  package private(set) var reason = ""

  /// Parses a report; invalid lines are added to the reason.
  package init(_ bytes: [UInt8]) {
    var reasons: [String] = []
    for line in String(decoding: bytes.prefix(Self.byteLimit), as: UTF8.self)
      .split(separator: "\n")
    {
      if !take(line) { reasons.append(String(line)) }
    }
    // A hostile program may write anything, and operators read it on a terminal.
    reason = DisplayText.line(reasons.joined(separator: "; "), limit: Self.reasonLimit)
  }

  package enum Line: Hashable, Sendable {
    case made(Int)
    case landlock(Int)
    case systemCallFilter
    case works(String)

    package var text: String {
      switch self {
      case .made(let index): "made \(index)"
      case .landlock(let version): "landlock \(version)"
      case .systemCallFilter: "seccomp 1"
      case .works(let program): "works \(program)"
      }
    }
  }

  private mutating func take(_ line: Substring) -> Bool {
    let words = line.split(separator: " ")
    guard words.count == 2 else { return false }
    switch words[0] {
    case "works": works.insert(String(words[1]))
    case "seccomp": walls.filtersCalls = true
    case "landlock", "made":
      guard let number = Int(words[1]) else { return false }
      if words[0] == "made" { made.insert(number) } else { walls.landlock = number }
    default: return false
    }
    return true
  }
}

/// The walls around the programs.
package struct ThumbnailWalls: Hashable, Sendable {
  /// The version of Landlock; 0 if the kernel does not support it.
  package var landlock = 0
  /// Whether system calls are filtered.
  package var filtersCalls = false
  /// Whether bubblewrap provides separate namespaces.
  package var hasNamespaces = false

  package init() {}

  package init(landlock: Int, filtersCalls: Bool, hasNamespaces: Bool) {
    self.landlock = landlock
    self.filtersCalls = filtersCalls
    self.hasNamespaces = hasNamespaces
  }

  /// Whether the walls meet `thumbnails.sandbox: required`.
  package var isSufficient: Bool { landlock > 0 && filtersCalls }

  /// The walls as one line for the log and `parley status`.
  package var summary: String {
    [
      landlock > 0 ? "Landlock \(landlock)" : "no Landlock",
      filtersCalls ? "seccomp" : "no seccomp",
      hasNamespaces ? "bubblewrap" : "no bubblewrap",
    ].joined(separator: ", ")
  }
}
