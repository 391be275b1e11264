internal import Basics

/// The time, the machines and the programs of a run.
package struct RunOrigin: Sendable, Hashable {
  /// In Unix milliseconds.
  package var startedAt: Int64 = 0
  /// The machine of the generator.
  package var machine = Machine()
  /// The version of the generator.
  package var generator = ""
  /// The name and version of the gateway, as sent to the first session.
  package var gateway = ""
  /// The address of the gateway.
  package var target = ""
  /// The command line, quoted for a shell.
  package var commandLine = ""

  package init() {}

  /// The start time as a calendar date.
  var date: String {
    let time = CivilTime(unixMilliseconds: startedAt)
    return "\(time.date) \(time.timeOfDay) UTC"
  }

  /// The rows of a report; unknown ones are omitted.
  var rows: [(name: String, value: String)] {
    let rows = [
      ("date", startedAt == 0 ? "" : date),
      ("host", machine.host), ("CPU", machine.processorText), ("kernel", machine.kernel),
      ("gateway", [gateway, target].filter { !$0.isEmpty }.joined(separator: " at ")),
      ("generator", generator), ("command", commandLine),
    ]
    return rows.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
  }

  /// Quotes arguments so that a shell parses the same arguments, without the values of secrets.
  ///
  /// - Parameter secrets: The options whose values are omitted.
  package static func commandLine(_ arguments: [String], hiding secrets: Set<String>) -> String {
    var hidesNext = false
    let words = arguments.map { argument in
      if hidesNext {
        hidesNext = false
        return hidden
      }
      guard argument.hasPrefix("--") else { return quoted(argument) }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard secrets.contains(String(parts[0])) else { return quoted(argument) }
      hidesNext = parts.count == 1
      return parts.count == 1 ? argument : "\(parts[0])=\(hidden)"
    }
    return words.joined(separator: " ")
  }

  private static let hidden = "***"

  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_./:=,@+%".utf8.contains(byte)
      }
    }
    guard !isPlain || argument.isEmpty else { return argument }
    return "'"
      + argument.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }
}

/// The machine of a run.
package struct Machine: Sendable, Hashable {
  package var host = ""
  /// The model name of the processor.
  package var processor = ""
  /// The number of online processors.
  package var processorCount = 0
  /// The kernel's name, release and architecture.
  package var kernel = ""

  package init() {}

  var processorText: String {
    guard processorCount > 0 else { return processor }
    let count = processorCount == 1 ? "1 core" : "\(processorCount) cores"
    return processor.isEmpty ? count : "\(processor), \(count)"
  }

  /// Finds the model name in the text of `/proc/cpuinfo`; empty if there is none.
  static func processor(in text: String) -> String {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { part in
        String(part.split(separator: " ").joined(separator: " "))
      }
      guard parts.count == 2, let name = parts.first?.split(separator: "\t").first else { continue }
      if name == "model name" || name == "Model" { return parts[1] }
    }
    return ""
  }
}
