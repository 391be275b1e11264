import HTTP1

/// What is told of the content of a file whose type its sender has named.
///
/// A browser obeys what it is told: only types that can't run anything are passed on, and of these
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
