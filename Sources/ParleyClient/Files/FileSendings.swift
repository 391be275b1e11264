internal import DequeModule
internal import Synchronization

/// The file messages that are being sent, and those whose sending failed.
final class FileSendings: Sendable {
  typealias Outcome = Result<FileMessage, ParleyError>

  /// A file message to be sent.
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
    /// `nil` once it is cancelled.
    var upload: NamedUpload?
    var task: Task<Outcome, Never>?
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// Those that failed, the oldest first.
    var failed: Deque<String> = []

    /// Counts a sending among those that failed, and forgets the oldest of too many.
    mutating func remember(_ id: String) {
      failed.append(id)
      if failed.count > FileSendings.failedLimit, let oldest = failed.popFirst() {
        entries[oldest] = nil
      }
    }
  }

  /// Beyond, those that failed first are forgotten.
  private static let failedLimit = 100

  private let state = Mutex(State())

  /// Begins a sending.
  ///
  /// - Parameters:
  ///   - newUpload: The upload if there is none of an earlier attempt.
  ///   - send: Carries it out, given the upload.
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

  /// The server gave an address for the bytes of a sending.
  ///
  /// - Returns: Whether the sending goes on; if it was cancelled, the caller cancels the upload.
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

  /// The upload of a sending is gone.
  func replaceUpload(by upload: NamedUpload, for id: String) {
    state.withLock { $0.entries[id]?.upload = upload }
  }

  /// The bytes of a sending are at the server: it can't be cancelled any more.
  ///
  /// - Returns: Whether it goes on.
  func didUpload(_ id: String) -> Bool {
    state.withLock { state in
      guard state.entries[id]?.stage == .uploading else { return false }
      state.entries[id]?.stage = .sending
      return true
    }
  }

  /// Ends an upload.
  ///
  /// - Returns: Whether it was under way, and its address if it had one.
  func cancel(_ id: String) -> (wasUploading: Bool, address: UploadAddress?) {
    let (task, address): (Task<Outcome, Never>?, UploadAddress?) = state.withLock { state in
      guard let entry = state.entries[id], entry.stage == .uploading else { return (nil, nil) }
      state.entries[id]?.stage = .failed
      // One without an address may exist: a creation under its name finds it.
      guard let address = entry.upload?.address else { return (entry.task, nil) }
      state.entries[id]?.upload = nil
      return (entry.task, address)
    }
    task?.cancel()
    return (task != nil, address)
  }

  /// Remembers a sending that failed and had no upload.
  func didFail(_ order: Order) {
    let id = order.requestID
    state.withLock { state in
      state.failed.removeAll { $0 == id }
      state.entries[id] = Entry(order: order, stage: .failed)
      state.remember(id)
    }
  }

  /// The sending that failed, to be repeated.
  func failed(_ id: String) -> Order? {
    state.withLock { state in
      state.failed.contains(id) ? state.entries[id]?.order : nil
    }
  }

  /// Ends all uploads, which can be repeated; messages that were sent are answered.
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
  ///   - places: Where the upload waits for its turn.
  ///   - turn: Waited for between upload and message, so that messages keep their order.
  ///   - patience: After how long a refused message is sent again; `nil` to give up.
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
        // A sequence that is cut short by the cancellation has an error of its own.
        return .failure(Task.isCancelled ? .cancelled : error)
      }
    }
  }

  /// - Returns: The id of the file; `nil` for one that is somewhere else.
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
