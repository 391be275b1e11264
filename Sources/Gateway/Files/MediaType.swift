import Basics
import HTTP1

/// The declared content of a file whose type its sender has named.
///
/// A browser obeys the declaration: only types that can't run anything are passed on, and of these
/// only pictures, sound and films are shown in place.
struct MediaType {
  /// For `Content-Type`.
  let field: String
  let disposition: ContentDisposition

  init(sent: String) {
    let name = sent.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    if Self.shown.contains(name) {
      (field, disposition) = (name, .inline)
    } else if Self.saved.contains(name) {
      (field, disposition) = (name, .attachment)
    } else {
      (field, disposition) = ("application/octet-stream", .attachment)
    }
  }

  /// SVG is not among them: it may hold scripts.
  private static let shown: Set = [
    "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp",
    "audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/opus", "audio/webm", "audio/wav",
    "audio/x-wav", "audio/flac", "audio/x-m4a",
    "video/mp4", "video/webm", "video/ogg", "video/quicktime",
  ]

  private static let saved: Set = [
    "application/pdf", "application/zip", "application/gzip", "application/json", "text/plain",
    "text/csv", "application/msword", "application/vnd.ms-excel",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ]
}

/// The name of a file, which is for people and never a path.
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
    for scalar in last where Self.isHarmless(scalar, after: scalars.last) { scalars.append(scalar) }
    // A cut may leave joiners at the beginning.
    let end = scalars.suffix(Self.lengthLimit).drop { !Self.isHarmless($0, after: nil) }
    scalars = String.UnicodeScalarView(end)
    let name = String(scalars)
    text = name.allSatisfy { $0 == "." || $0 == " " } ? "file" : name
  }

  /// The name as the last part of an address.
  var addressPart: String {
    PercentEncoding.encode(String(text.unicodeScalars.suffix(Self.addressLength)))
  }

  private static func isHarmless(
    _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?
  ) -> Bool {
    switch scalar.value {
    // Joiners shape words of Persian, Hindi and others, and emoji; they mean nothing in ASCII.
    case 0x200C, 0x200D: return previous.map { !$0.isASCII && !$0.isUnseen } ?? false
    // Letters of the flags of regions, behind a black flag.
    case 0xE0020...0xE007F: return previous.map { $0.value == 0x1F3F4 || $0.isTag } ?? false
    default: break
    }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isTag: Bool { 0xE0020...0xE007F ~= value }
}
