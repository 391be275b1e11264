import Glibc

/// A failed system call: its name, its object and the reason.
package struct SystemError: Error, Hashable, CustomStringConvertible {
  /// The call's name, such as `bind`.
  package let call: String
  /// The resulting `errno`.
  package let code: Int32
  /// The object of the call, such as an address; empty when there is none.
  package let object: String

  package init(call: String, code: Int32, object: String = "") {
    self.call = call
    self.code = code
    self.object = object
  }

  /// Reads `errno`, so it must be called directly after the failed call.
  package static func last(_ call: String, on object: String = "") -> SystemError {
    SystemError(call: call, code: errno, object: object)
  }

  /// The system's text for the code, such as `No space left on device`.
  package var reason: String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
  }

  package var description: String {
    object.isEmpty ? "\(call): \(reason)" : "\(call) \(object): \(reason)"
  }
}
