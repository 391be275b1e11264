import CPostgreSQL

/// Checks of a server's address that need no connection.
///
/// libpq makes most of them when it connects, where a wrong address looks like an unreachable server.
package enum PostgreSQLAddress {
  /// The error in an address; never shows a part that may be secret.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  private static let modes = ["disable", "prefer", "require"]
  private static let protocols = ["", "tlsv1", "tlsv1.1", "tlsv1.2", "tlsv1.3"]
  /// The values of parameters that libpq compares with words (PostgreSQL, libpq, parameter key words).
  private static let words: [String: [String]] = [
    "sslmode": ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
    "gssencmode": modes, "channel_binding": modes,
    "target_session_attrs": [
      "any", "read-write", "read-only", "primary", "standby", "prefer-standby",
    ],
    "ssl_min_protocol_version": protocols, "ssl_max_protocol_version": protocols,
  ]
  private static let numbers = [
    "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
    "tcp_user_timeout",
  ]

  /// Checks a connection string or URI.
  package static func check(_ url: String) throws(Fault) {
    let values = try parse(url)
    let ports = list(values["port"])
    for port in ports where !port.isEmpty {
      guard let number = Int(port), (1...65_535).contains(number) else {
        throw Fault(description: "the port '\(port)' is not a number from 1 to 65535")
      }
    }
    let hosts = max(list(values["host"]).count, list(values["hostaddr"]).count, 1)
    guard ports.count <= 1 || ports.count == hosts else {
      throw Fault(description: "it has \(ports.count) ports for \(hosts) hosts")
    }
    for (name, allowed) in words.sorted(by: { $0.key < $1.key }) {
      guard let value = values[name], !allowed.contains(value.lowercased()) else { continue }
      let expected = allowed.filter { !$0.isEmpty }.joined(separator: ", ")
      throw Fault(description: "\(name) is '\(value)', not one of \(expected)")
    }
    for name in numbers {
      guard let value = values[name], !value.isEmpty, Int32(value) == nil else { continue }
      throw Fault(description: "\(name) is '\(value)', not a number")
    }
  }

  /// The hosts or ports listed in a value.
  private static func list(_ value: String?) -> [Substring] {
    guard let value, !value.isEmpty else { return [] }
    return value.split(separator: ",", omittingEmptySubsequences: false)
  }

  /// The parameters that an address sets.
  private static func parse(_ url: String) throws(Fault) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &message) else {
      let text = message.map { String(cString: $0).firstLine } ?? ""
      PQfreemem(message)
      throw Fault(description: fault(text))
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return values
  }

  /// The message of libpq, if it is about the name of a parameter: others may contain a password.
  private static func fault(_ message: String) -> String {
    for start in ["invalid URI query parameter", "invalid connection option"]
    where message.hasPrefix(start) { return message }
    return "it is not a connection URI that libpq takes"
  }
}
