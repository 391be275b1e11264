internal import ClientTransport
internal import ParleyProtocol

/// An upload of a file to the server.
struct FileUpload: Sendable {
  let params: FileMessageCreateParams.Values
  let content: FileContent
  let requestID: String
  let report: @Sendable (FileUploadProgress) -> Void

  /// Uploads the file, continuing where an earlier attempt ended.
  ///
  /// - Parameter upload: A new upload, or that of an earlier attempt, replaced if it no longer exists.
  /// - Returns: The file's id.
  func run(
    in core: ClientCore, continuing upload: NamedUpload
  ) async throws(ParleyError) -> String {
    let reader = try await FileReader(content)
    var reports = ProgressReports(requestID, size: reader.size, report: report)
    var upload = upload
    if let address = upload.address {
      do throws(ParleyError) {
        return try await send(reader, to: address, first: .ask, in: core, &reports)
      } catch {
        guard case .notFound = error else { throw error }
      }
      upload = NamedUpload(name: core.requestIDs.next())
      core.files.replaceUpload(by: upload, for: requestID)
    }
    let created = try await create(upload.name, reader.size, in: core)
    guard core.files.didCreate(created, for: requestID) else {
      cancel(created, in: core)
      throw .cancelled
    }
    return try await send(reader, to: created, first: nil, in: core, &reports)
  }

  /// Uploads the file without support for continuing it later.
  ///
  /// - Returns: The file's id.
  func run(in core: ClientCore) async throws(ParleyError) -> String {
    let reader = try await FileReader(content)
    var reports = ProgressReports(requestID, size: reader.size, report: report)
    let created = try await create(requestID, reader.size, in: core)
    do throws(ParleyError) {
      return try await send(reader, to: created, first: nil, in: core, &reports)
    } catch {
      cancel(created, in: core)
      throw error
    }
  }

  /// Cancels an upload; otherwise it would count as one of the user's unfinished uploads for a day.
  private func cancel(_ created: UploadAddress, in core: ClientCore) {
    core.start(FileCalls.cancel(fileID: created.fileID)) { _ in }
  }

  private func create(
    _ name: String, _ size: Int64, in core: ClientCore
  ) async throws(ParleyError) -> UploadAddress {
    let call = FileCalls.create(params, size: size, requestID: name)
    return try await core.performPatiently(call) { error in
      if case .rateLimited(let wait) = error { wait } else { nil }
    }
  }

  private func send(
    _ reader: FileReader, to address: UploadAddress, first: UploadStep?, in core: ClientCore,
    _ reports: inout ProgressReports
  ) async throws(ParleyError) -> String {
    let clock = ContinuousClock()
    let begin = clock.now
    func now() -> Int64 { begin.duration(to: clock.now).milliseconds }
    let route = try UploadRoute(to: address.url, core.engineConfiguration, on: core.lane)
    var course = UploadCourse(
      size: reader.size, patience: core.uploadPatience.milliseconds, at: now())
    var step = first ?? course.next
    while true {
      guard !Task.isCancelled else { throw .cancelled }
      switch step {
      case .ask:
        let answer = await route.ask()
        step = course.didAsk(answer, at: now(), random: .random(in: 0 ... .max))
      case .send(let offset, let count):
        let piece = try await reader.read(from: offset, count: count)
        let sentAt = now()
        let answer = await route.send(piece, from: offset)
        let answeredAt = now()
        step = course.didSend(
          answer, in: answeredAt - sentAt, at: answeredAt, random: .random(in: 0 ... .max))
      case .wait(let milliseconds):
        try? await Task.sleep(for: .milliseconds(milliseconds))
        step = .ask
      case .complete:
        reports.reach(reader.size)
        return address.fileID
      case .fail(let error): throw Task.isCancelled ? .cancelled : error
      }
      reports.reach(course.offset)
    }
  }
}

extension ClientCore {
  /// Repeats a call as long as the server returns a time after which it may succeed.
  ///
  /// Cancelling the task cancels the call, unless it was sent: then its outcome is returned.
  func performPatiently<Value: Sendable>(
    _ call: Call<Value>, waiting wait: (ParleyError) -> Duration?
  ) async throws(ParleyError) -> Value {
    while true {
      do throws(ParleyError) {
        return try await performOnceSent(call)
      } catch {
        guard let pause = wait(error) else { throw error }
        try? await Task.sleep(for: pause)
      }
    }
  }
}
