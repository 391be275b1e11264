import Basics
import HTTP1

/// What a file is called: a name for people, and never a path.
struct FileName {
  private static let lengthLimit = 255
  /// The end of the name that its address shows, and with it what kind of file it is.
  private static let addressLength = 100

  let text: String

  /// Takes what is left of a sender's name without folders, control characters and what turns text
  /// around; `file` when that is nothing.
  init(_ sent: String) {
    // By scalars: with a mark behind it a slash is part of another character, and still a slash.
    let last = sent.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? "".unicodeScalars[...]
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: last.filter(Self.isHarmless).suffix(Self.lengthLimit))
    let name = String(scalars)
    text = name.allSatisfy { $0 == "." || $0 == " " } ? "file" : name
  }

  /// The name as the last part of an address.
  var addressPart: String {
    PercentEncoding.encode(String(text.unicodeScalars.suffix(Self.addressLength)))
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
