import Basics

/// The operations on a bucket for files: requests, and the parsing of their answers.
struct S3Bucket: Sendable {
  typealias Completion<Value> = @Sendable (Result<Value, S3Error>) -> Void

  private let client: S3Client
  private let prefix: String

  init(_ client: S3Client, prefix: String) {
    self.client = client
    self.prefix = prefix
  }

  /// Stores a whole object.
  func put(_ id: String, _ body: [UInt8], completion: @escaping Completion<Void>) -> UInt64 {
    var request = S3Request(.put, key(id))
    request.body = body
    request.patience = .seconds(120)
    return client.send(request) { completion($0.map { _ in }) }
  }

  /// Reads the length of an object; `nil` when there is none.
  func measure(_ id: String, completion: @escaping Completion<Int64?>) -> UInt64 {
    var request = S3Request(.head, key(id))
    request.expected = [200, 404]
    return client.send(request) { result in
      completion(result.map { $0.status == 404 ? nil : $0.objectByteCount ?? 0 })
    }
  }

  /// Reads a whole range of an object, with the length of the object; `nil` when there is none.
  func read(
    _ id: String, _ range: Range<Int64>,
    completion: @escaping Completion<(bytes: [UInt8], objectByteCount: Int64)?>
  ) -> UInt64 {
    var request = S3Request(.get, key(id))
    request.range = range
    request.maximumBytes = max(range.count, 65_536)
    request.expected = [206, 404]
    return client.send(request) { result in
      completion(
        result.flatMap { response in
          guard response.status == 206 else { return .success(nil) }
          guard response.body.count == range.count, let length = response.objectByteCount else {
            return .failure(S3Error("GET \(id): not the range that was asked for", status: 206))
          }
          return .success((response.body, length))
        })
    }
  }

  /// Removes an object; retries until it succeeds.
  func remove(_ id: String, completion: @escaping Completion<Void>) {
    var request = S3Request(.delete, key(id))
    request.expected = [200, 204, 404]
    request.patience = .unlimited
    client.send(request) { completion($0.map { _ in }) }
  }

  /// Ends a request without an answer.
  func cancel(_ request: UInt64) { client.cancel(request) }

  private func key(_ id: String) -> String { prefix + id }
}

/// Uploads in parts.
extension S3Bucket {
  /// The upload of an object in parts.
  struct Multipart: Sendable {
    let id: String
    let uploadID: String
    /// The tags of the parts that are stored, in order.
    var tags: [String] = []
  }

  func beginMultipart(_ id: String, completion: @escaping Completion<Multipart>) -> UInt64 {
    var request = S3Request(.post, key(id))
    request.query = [("uploads", "")]
    return client.send(request) { result in
      completion(
        result.flatMap { response in
          guard let uploadID = XMLText(response.text).value("UploadId"), !uploadID.isEmpty else {
            return .failure(S3Error("POST \(id): the answer names no upload", status: 200))
          }
          return .success(Multipart(id: id, uploadID: uploadID))
        })
    }
  }

  /// Stores the next part; returns the upload with the part's tag.
  func putPart(
    _ body: [UInt8], of upload: Multipart, completion: @escaping Completion<Multipart>
  ) -> UInt64 {
    var request = S3Request(.put, key(upload.id))
    request.query = [
      ("partNumber", "\(upload.tags.count + 1)"), ("uploadId", upload.uploadID),
    ]
    request.body = body
    request.patience = .seconds(120)
    return client.send(request) { result in
      completion(
        result.flatMap { response in
          guard let tag = response.tag else {
            return .failure(S3Error("PUT \(upload.id): the answer has no ETag", status: 200))
          }
          var upload = upload
          upload.tags.append(tag)
          return .success(upload)
        })
    }
  }

  /// Joins the parts to an object.
  ///
  /// If the answer to an earlier attempt was lost, the object exists, and the upload does not.
  func complete(
    _ upload: Multipart, byteCount: Int64, completion: @escaping Completion<Void>
  ) -> UInt64 {
    let parts = upload.tags.enumerated().map { index, tag in
      "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(XMLEncoding.encode(tag))</ETag></Part>"
    }
    var request = S3Request(.post, key(upload.id))
    request.query = [("uploadId", upload.uploadID)]
    request.body = Array(
      "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
    request.expected = [200, 404]
    request.patience = .seconds(120)
    return client.send(request) { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let response):
        let text = XMLText(response.text)
        guard response.status == 404 || !text.contains("CompleteMultipartUploadResult") else {
          return completion(.success(()))
        }
        let code = text.value("Code") ?? "no result"
        _ = measure(upload.id) { length in
          let isThere = (try? length.get()) == byteCount
          completion(
            isThere
              ? .success(())
              : .failure(S3Error("POST \(upload.id): \(code)", status: response.status)))
        }
      }
    }
  }

  /// Removes the parts of an upload; remains are removed once they are old.
  func abort(_ upload: Multipart) {
    abort(key: key(upload.id), uploadID: upload.uploadID)
  }

  private func abort(key: String, uploadID: String) {
    var request = S3Request(.delete, key)
    request.query = [("uploadId", uploadID)]
    request.expected = [200, 204, 404]
    client.send(request) { _ in }
  }
}

/// Remains of unfinished uploads.
extension S3Bucket {
  /// Longer than any server receives a file or stores its message.
  private static let abandonedSeconds = 86_400
  private static let listBytes = 2_097_152

  /// A part of a list of objects.
  struct Page {
    let entries: [XMLText]
    /// The token of the next part; `nil` at the end.
    let next: String?
    let response: S3Response
  }

  /// Lists the objects whose keys begin with a folder after the bucket's prefix.
  func list(
    _ folder: String, after token: String?, completion: @escaping Completion<Page>
  ) {
    var request = S3Request(.get)
    request.query = [("list-type", "2"), ("prefix", key(folder))]
    if let token { request.query.append(("continuation-token", token)) }
    request.maximumBytes = Self.listBytes
    client.send(request) { result in
      completion(
        result.flatMap { response in
          let text = XMLText(response.text)
          guard text.contains("ListBucketResult") else {
            return .failure(S3Error("GET /: the answer is no list", status: 200))
          }
          return .success(
            Page(
              entries: text.elements("Contents"), next: text.value("NextContinuationToken"),
              response: response))
        })
    }
  }

  /// Lists the ids of files with objects or segments older than a day, by the bucket's clock.
  func listOld(
    after token: String?, completion: @escaping Completion<(ids: [String], next: String?)>
  ) {
    list("", after: token) { result in
      completion(
        result.map { page in
          let ids = page.entries.compactMap { entry in
            isOld(entry.value("LastModified"), page.response)
              ? entry.value("Key").flatMap {
                id($0) ?? path($0).flatMap(UploadSegment.fileID(inPath:))
              } : nil
          }
          return (Array(Set(ids)), page.next)
        })
    }
  }

  /// Aborts the uploads begun more than a day ago, by the bucket's clock.
  func abortOldUploads() {
    var request = S3Request(.get)
    request.query = [("prefix", prefix), ("uploads", "")]
    request.maximumBytes = Self.listBytes
    client.send(request) { result in
      guard case .success(let response) = result else { return }
      for upload in XMLText(response.text).elements("Upload")
      where isOld(upload.value("Initiated"), response) {
        guard let key = upload.value("Key"), id(key) != nil,
          let uploadID = upload.value("UploadId")
        else { continue }
        abort(key: key, uploadID: uploadID)
      }
    }
  }

  private func isOld(_ time: String?, _ response: S3Response) -> Bool {
    guard let time = time.flatMap(S3Time.seconds(ofListing:)),
      let now = response.date.flatMap(S3Time.seconds(ofDate:))
    else { return false }
    return now - time > Self.abandonedSeconds
  }

  /// The path of a key below the prefix; `nil` when the object does not belong to this server.
  func path(_ key: String) -> String? {
    key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
  }

  /// The file id in a key; `nil` for the key of another object.
  private func id(_ key: String) -> String? {
    path(key).flatMap { FileID.isValid($0) ? $0 : nil }
  }
}
