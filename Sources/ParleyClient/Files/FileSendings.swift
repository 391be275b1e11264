internal import ClientTransport

/// The file messages being sent, and those that failed.
final class FileSendings: Sendable {
  typealias Outcome = Result<FileMessage, ParleyError>

  /// A file message to send.
  struct Order: Sendable {
    let params: FileMessageCreateParams.Values
    let channelURL: String
    let requestID: String
  }

  private enum Stage {
    case uploading
    case sending
    case failed
  }

  private struct Entry {
    let order: Order
    var stage: Stage
    /// `nil` once the sending is cancelled.
    var upload: NamedUpload?
    var task: Task<Outcome, Never>?
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// The failed sendings, oldest first.
    var failed: [String] = []

    /// Adds a failed sending, and removes the oldest ones beyond the limit.
    mutating func remember(_ id: String) {
      failed.append(id)
      if failed.count > FileSendings.failedLimit { entries[failed.removeFirst()] = nil }
    }
  }

  /// The maximum number of failed sendings to remember; the oldest are removed first.
  private static let failedLimit = 100

  private let state = Locked(State())

  /// Starts a sending.
  ///
  /// - Parameters:
  ///   - newUpload: The upload to use if an earlier attempt left none.
  ///   - send: Performs the sending with the given upload.
  func begin(
    _ order: Order, as newUpload: NamedUpload,
    _ send: @escaping @Sendable (NamedUpload) async -> Outcome
  ) -> Task<Outcome, Never> {
    let id = order.requestID
    return state.withLock { state in
      let earlier = state.entries[id].flatMap { $0.order.params == order.params ? $0.upload : nil }
      let upload = earlier ?? newUpload
      state.failed.removeAll { $0 == id }
      let task = Task { [self] in
        let outcome = await send(upload)
        end(id, outcome)
        return outcome
      }
      state.entries[id] = Entry(order: order, stage: .uploading, upload: upload, task: task)
      return task
    }
  }

  /// Stores the address for the bytes of a sending.
  ///
  /// - Returns: Whether the sending continues; if it was cancelled, the caller cancels the upload.
  func didCreate(_ address: UploadAddress, for id: String) -> Bool {
    state.withLock { state in
      guard state.entries[id]?.stage == .uploading else {
        state.entries[id]?.upload = nil
        return false
      }
      state.entries[id]?.upload?.address = address
      return true
    }
  }

  /// Replaces an upload that no longer exists.
  func replaceUpload(by upload: NamedUpload, for id: String) {
    state.withLock { $0.entries[id]?.upload = upload }
  }

  /// Records that all bytes of a sending were uploaded: it can no longer be cancelled.
  ///
  /// - Returns: Whether the sending continues.
  func didUpload(_ id: String) -> Bool {
    state.withLock { state in
      guard state.entries[id]?.stage == .uploading else { return false }
      state.entries[id]?.stage = .sending
      return true
    }
  }

  /// Cancels an upload.
  ///
  /// - Returns: Whether the upload was in progress, and its address if there was one.
  func cancel(_ id: String) -> (wasUploading: Bool, address: UploadAddress?) {
    let (task, address): (Task<Outcome, Never>?, UploadAddress?) = state.withLock { state in
      guard let entry = state.entries[id], entry.stage == .uploading else { return (nil, nil) }
      state.entries[id]?.stage = .failed
      // An upload without an address may exist: creating it under the same name finds it.
      guard let address = entry.upload?.address else { return (entry.task, nil) }
      state.entries[id]?.upload = nil
      return (entry.task, address)
    }
    task?.cancel()
    return (task != nil, address)
  }

  /// Remembers a failed sending that had no upload.
  func didFail(_ order: Order) {
    let id = order.requestID
    state.withLock { state in
      state.failed.removeAll { $0 == id }
      state.entries[id] = Entry(order: order, stage: .failed)
      state.remember(id)
    }
  }

  /// Returns the failed sending to repeat.
  func failed(_ id: String) -> Order? {
    state.withLock { state in
      state.failed.contains(id) ? state.entries[id]?.order : nil
    }
  }

  /// Cancels all uploads, which can be repeated; messages already sent are answered.
  func cancelAll() {
    let tasks = state.withLock { $0.entries.values.compactMap(\.task) }
    for task in tasks { task.cancel() }
  }

  private func end(_ id: String, _ outcome: Outcome) {
    state.withLock { state in
      guard case .failure = outcome else { return state.entries[id] = nil }
      state.entries[id]?.stage = .failed
      state.entries[id]?.task = nil
      state.remember(id)
    }
  }
}

extension ClientCore {
  /// Sends a file message whose file is uploaded first.
  ///
  /// - Parameters:
  ///   - places: Limits the number of parallel uploads.
  ///   - turn: Awaited between upload and message, so that messages keep their order.
  ///   - patience: The time after which a rejected message is sent again; `nil` to give up.
  func send(
    _ order: FileSendings.Order, in places: UploadPlaces? = nil,
    after turn: Task<Void, Never>? = nil,
    report: @escaping @Sendable (FileUploadProgress) -> Void,
    patience: @escaping @Sendable (ParleyError) -> Duration? = { _ in nil }
  ) -> Task<FileSendings.Outcome, Never> {
    files.begin(order, as: NamedUpload(name: requestIDs.next())) { [self] upload in
      do throws(ParleyError) {
        await places?.take()
        let uploaded = await uploading(order, continuing: upload, report: report)
        await places?.leave()
        let fileID = try uploaded.get()
        await turn?.value
        guard files.didUpload(order.requestID) else { throw .cancelled }
        let call = messageCalls.send(
          order.params, fileID: fileID, to: order.channelURL, requestID: order.requestID)
        return .success(try await performPatiently(call, waiting: patience))
      } catch {
        // A sequence interrupted by the cancellation throws its own error.
        return .failure(Task.isCancelled ? .cancelled : error)
      }
    }
  }

  /// - Returns: The id of the file; `nil` for a file at a URL.
  private func uploading(
    _ order: FileSendings.Order, continuing upload: NamedUpload,
    report: @escaping @Sendable (FileUploadProgress) -> Void
  ) async -> Result<String?, ParleyError> {
    guard let content = order.params.file else { return .success(nil) }
    let file = FileUpload(
      params: order.params, content: content, requestID: order.requestID, report: report)
    do throws(ParleyError) {
      return .success(try await file.run(in: self, continuing: upload))
    } catch {
      return .failure(error)
    }
  }
}
