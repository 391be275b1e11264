internal import CCurl

/// Shows the progress of an upload in one line of a terminal.
final class UploadProgress {
  private var shown = -1

  /// Shows the progress of a transfer; this object must outlive it.
  func show(of easy: UnsafeMutableRawPointer) {
    _ = parley_curl_set_long(easy, CURLOPT_NOPROGRESS, 0)
    _ = parley_curl_set_pointer(
      easy, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
    _ = parley_curl_set_progress_function(easy) { context, _, _, total, sent in
      guard let context else { return 0 }
      Unmanaged<UploadProgress>.fromOpaque(context).takeUnretainedValue().update(sent, of: total)
      return 0
    }
  }

  /// Erases the line.
  func end() {
    if shown >= 0 { Terminal.writeError("\r\u{1b}[K") }
    shown = -1
  }

  private func update(_ sent: Int, of total: Int) {
    guard total > 0 else { return }
    let percent = Int((Double(sent) / Double(total) * 100).rounded(.down))
    guard percent != shown else { return }
    shown = percent
    Terminal.writeError("\r\u{1b}[K\(percent) % of \(Self.megabytes(total)) MB")
  }

  /// Megabytes with one decimal.
  private static func megabytes(_ bytes: Int) -> String {
    let tenths = bytes / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
