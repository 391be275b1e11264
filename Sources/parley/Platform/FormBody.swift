internal import ArgumentParser
internal import CCurl
internal import Glibc

/// A form with a file, which libcurl reads from disk while sending.
final class FormBody {
  /// The lowest rate in bytes per second; slower uploads are cancelled after `patience` seconds.
  private static let slowestRate = 1
  private static let patience = 60

  private let fields: [(name: String, value: String)]
  private let part: String
  private let path: String
  private let progress: UploadProgress
  private var mime: OpaquePointer?

  /// - Parameter part: The name of the file's part.
  /// - Throws: `ValidationError` if the file cannot be read.
  init(fields: [(String, String)], part: String = "file", file path: String) throws {
    guard access(path, R_OK) == 0 else {
      throw ValidationError("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    self.fields = fields
    self.part = part
    self.path = path
    progress = UploadProgress()
  }

  deinit {
    curl_mime_free(mime)
    progress.end()
  }

  /// Attaches the form to a request; the form must outlive it.
  func attach(to easy: UnsafeMutableRawPointer) throws {
    let mime = curl_mime_init(easy)
    self.mime = mime
    for field in fields {
      let part = curl_mime_addpart(mime)
      curl_mime_name(part, field.name)
      _ = Array(field.value.utf8).withUnsafeBytes { bytes in
        curl_mime_data(part, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
      }
    }
    let part = curl_mime_addpart(mime)
    curl_mime_name(part, self.part)
    guard curl_mime_filedata(part, path) == CURLE_OK else {
      throw ValidationError("\(path) cannot be read")
    }
    _ = parley_curl_set_mime(easy, mime)
    // No limit on the total time: only a stalled upload is cancelled.
    _ = parley_curl_set_long(easy, CURLOPT_TIMEOUT_MS, 0)
    _ = parley_curl_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, Self.slowestRate)
    _ = parley_curl_set_long(easy, CURLOPT_LOW_SPEED_TIME, Self.patience)
    if Terminal.isError { progress.show(of: easy) }
  }
}
