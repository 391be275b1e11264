/// The media types of common files by filename extension.
enum MediaTypes {
  /// Returns the media type of a file; empty if its name has no known extension.
  static func type(ofName name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return "" }
    return types[name[name.index(after: dot)...].lowercased()] ?? ""
  }

  private static let types = [
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
    "webp": "image/webp", "avif": "image/avif", "bmp": "image/bmp", "heic": "image/heic",
    "tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml",
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg",
    "opus": "audio/opus", "wav": "audio/wav", "flac": "audio/flac",
    "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "mov": "video/quicktime",
    "pdf": "application/pdf", "zip": "application/zip", "gz": "application/gzip",
    "json": "application/json", "txt": "text/plain", "csv": "text/csv",
    "doc": "application/msword", "xls": "application/vnd.ms-excel",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ]
}
