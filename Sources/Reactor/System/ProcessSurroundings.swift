internal import CLinux
import Glibc

/// The environment of this process.
package enum ProcessEnvironment {
  /// All variables; if a name is repeated, the first value counts.
  ///
  /// Must be read before there are threads that could change them.
  package static var variables: [String: String] {
    var variables: [String: String] = [:]
    guard var entry = clinux_environment() else { return [:] }
    while let text = entry.pointee {
      let parts = String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil {
        variables[String(parts[0])] = String(parts[1])
      }
      entry += 1
    }
    return variables
  }
}

/// The processors of the machine.
package enum Processors {
  /// The number of processors that this process may run on.
  package static var usableCount: Int { Int(clinux_processor_count()) }
}

/// The standard error stream.
package enum StandardError {
  /// Writes a line, ignoring errors.
  package static func write(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = Kernel.write(STDERR_FILENO, bytes, bytes.count)
  }
}
