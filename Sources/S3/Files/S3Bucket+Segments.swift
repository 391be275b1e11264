import Store

/// Segments of unfinished files.
extension S3Bucket {
  /// Lists those of a file.
  func segments(
    of fileID: String, completion: @escaping Completion<[UploadSegment]>
  ) -> UInt64 {
    list(UploadSegment.folder(of: fileID), [], after: nil, completion)
  }

  @discardableResult
  private func list(
    _ folder: String, _ found: [UploadSegment], after token: String?,
    _ completion: @escaping Completion<[UploadSegment]>
  ) -> UInt64 {
    var request = S3Request(.get)
    request.query = [("list-type", "2"), ("prefix", prefix + folder)]
    if let token { request.query.append(("continuation-token", token)) }
    request.maximumBytes = Self.listBytes
    return client.send(request) { [self] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let response):
        let text = XMLText(response.text)
        guard text.contains("ListBucketResult") else { return completion(.failure(.noList)) }
        let start = prefix.count + folder.count
        let more = text.elements("Contents").compactMap { entry in
          entry.value("Key").flatMap { UploadSegment(name: $0.dropFirst(start)) }
        }
        guard let next = text.value("NextContinuationToken") else {
          return completion(.success(found + more))
        }
        list(folder, found + more, after: next, completion)
      }
    }
  }

  func put(
    _ segment: UploadSegment, of fileID: String, _ body: [UInt8],
    completion: @escaping Completion<Void>
  ) -> UInt64 {
    put(segment.path(of: fileID), body, completion: completion)
  }

  /// Reads a segment whole; `nil` when there is none.
  func read(
    _ segment: UploadSegment, of fileID: String, completion: @escaping Completion<[UInt8]?>
  ) -> UInt64 {
    read(segment.path(of: fileID), 0..<Int64(segment.range.count)) {
      completion($0.map { $0?.bytes })
    }
  }

  /// Removes a segment, for as long as it takes.
  func remove(_ segment: UploadSegment, of fileID: String, completion: @escaping Completion<Void>) {
    remove(segment.path(of: fileID), completion: completion)
  }
}
