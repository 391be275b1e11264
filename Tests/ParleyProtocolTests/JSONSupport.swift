import ParleyProtocol
import Testing

/// The root of a text that must be valid.
func node(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> JSONNode {
  try #require(try? JSONDocument(text), "\(text)", sourceLocation: location).root
}

/// What a closure writes, as text.
func written(_ write: (inout JSONWriter) -> Void) -> String {
  String(decoding: JSONWriter.bytes(write), as: UTF8.self)
}

/// A text of so many characters.
func text(_ count: Int, _ character: Character = "x") -> String {
  String(repeating: character, count: count)
}

/// A string as JSON.
func quoted(_ text: String) -> String { written { $0.value(text) } }

/// Strings as a JSON list.
func list(_ texts: some Sequence<String>) -> String {
  "[" + texts.map(quoted).joined(separator: ",") + "]"
}
