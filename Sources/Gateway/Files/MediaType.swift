import Basics
import HTTP

/// The declared content type and disposition of a file whose type was named by its sender.
///
/// Browsers obey the declaration: only types that cannot run anything are passed on, and of these
/// only images, audio and video are shown inline.
struct MediaType {
  /// The value of `Content-Type`.
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

  /// The types shown inline, without SVG, which may contain scripts.
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

/// The name of a file, which is for display and never a path.
struct FileName {
  private static let lengthLimit = 255
  /// The length of the end of the name that its address shows, which includes the file extension.
  private static let addressLength = 100

  let text: String

  /// Strips folders, control characters and characters that reverse text from a sender's name; uses
  /// `file` when nothing is left.
  init(_ sent: String) {
    // By scalars: a slash with a mark after it is part of another character, and still a slash.
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
    // Letters of the flags of regions, after a black flag.
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
