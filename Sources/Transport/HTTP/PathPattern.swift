/// The path of a route: literal segments, and parameters in braces.
///
///     /v3/open_channels/{channel_url}/messages/{message_id:number}
///
/// A parameter is `text` unless its kind is named.
package struct PathPattern: Sendable, Hashable, ExpressibleByStringInterpolation,
  CustomStringConvertible
{
  /// The values that a parameter stands for.
  package enum Kind: String, Sendable, Hashable {
    /// Anything but nothing: an empty segment is a variable that the caller forgot.
    case text
    /// Digits, with a sign or without; a number that is out of range is a number.
    case number
    /// Anything.
    case any

    func admits(_ segment: String) -> Bool {
      switch self {
      case .text: return !segment.isEmpty
      case .number:
        let digits = segment.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
        return !digits.isEmpty
          && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      case .any: return true
      }
    }
  }

  enum Segment: Sendable, Hashable {
    case literal(String)
    case parameter(String, Kind)
  }

  let segments: [Segment]

  package init(_ text: String) {
    segments = text.split(separator: "/").map { part in
      guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(String(part)) }
      let parts = part.dropFirst().dropLast().split(separator: ":")
      let kind = parts.dropFirst().first.flatMap { Kind(rawValue: String($0)) } ?? .text
      return .parameter(String(parts.first ?? ""), kind)
    }
  }

  package init(stringLiteral text: String) { self.init(text) }

  /// The path as OpenAPI writes it, without the kinds of its parameters; also its label in metrics.
  package var description: String {
    let parts = segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter(let name, _): "{\(name)}"
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The path with these values, percent-encoded already, in place of its parameters in order.
  package func path(_ values: String...) -> String {
    var rest = values[...]
    let parts = segments.map { segment in
      switch segment {
      case .literal(let text): text
      case .parameter: rest.popFirst() ?? ""
      }
    }
    return "/" + parts.joined(separator: "/")
  }
}

/// The values of a path's parameters, percent-decoded, by name.
package struct PathArguments: Sendable {
  private var values: [(name: String, value: String)] = []

  package init() {}

  /// The value of a parameter; empty for a name that the pattern does not have.
  package subscript(_ name: String) -> String {
    values.first { $0.name == name }?.value ?? ""
  }

  mutating func append(_ name: String, _ value: String) { values.append((name, value)) }
}
