import Glibc

/// A system call that failed: which one, on what, and why.
package struct SystemError: Error, Hashable, CustomStringConvertible {
  /// The call's name, such as `bind`.
  package let call: String
  /// The `errno` it left.
  package let code: Int32
  /// What it was called on, such as an address; empty when that says nothing.
  package let object: String

  package init(call: String, code: Int32, object: String = "") {
    self.call = call
    self.code = code
    self.object = object
  }

  /// Reads `errno`, so it must be made right after the call.
  package static func last(_ call: String, on object: String = "") -> SystemError {
    SystemError(call: call, code: errno, object: object)
  }

  package var description: String {
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return object.isEmpty ? "\(call): \(reason)" : "\(call) \(object): \(reason)"
  }
}
