import Channels
import ParleyProtocol

/// A single request, or a batch whose replies are sent as one.
struct PipelineUnit {
  /// The size limit of the replies to a batch.
  private static let batchLimit = Limits.answerByteCount
  /// The size reserved for the reply to a refused call.
  static let refusalSize = 512

  /// `nil` for a single request.
  var batch: PipelineBatch?
  /// The memory of the request until it is answered.
  let byteCount: Int
  var outstanding = 0
  /// The running calls that no other call waits for.
  var asides: [Int] = []
  var replies: [[UInt8]?] = []
  /// The size of the available replies in bytes.
  var replyByteCount = 0

  /// Whether only calls that no other call waits for are unanswered.
  var isOvertakable: Bool { outstanding > 0 && outstanding == asides.count }

  /// Whether the call with an index may be running.
  func awaits(_ index: Int) -> Bool {
    outstanding > 0 && replies.indices.contains(index) && replies[index] == nil
  }

  /// - Returns: Whether no other call waited for this one.
  mutating func complete(_ index: Int, _ reply: [UInt8]?, byteCount: Int) -> Bool {
    replies[index] = reply
    replyByteCount += byteCount
    outstanding -= 1
    batch?.release(index)
    guard let place = asides.firstIndex(of: index) else { return false }
    asides.remove(at: place)
    return true
  }

  /// Lets other calls proceed without waiting for a running one.
  ///
  /// - Returns: Whether other calls were waiting for the call until now.
  mutating func pass(_ index: Int) -> Bool {
    // In a batch, the running calls are those with a promise.
    let isRunning = outstanding > 0 && batch.map { $0.promises[index] != nil } ?? true
    guard isRunning, !asides.contains(index) else { return false }
    asides.append(index)
    batch?.lower(index)
    return true
  }

  /// The reply, once it is complete.
  var joinedReply: [UInt8]? {
    guard batch != nil else { return replies[0] }
    return RPCReply.batch(replies.compactMap(\.self))
  }

  /// The rest of a batch's budget, after reserving a refusal for each call that has not started.
  func room(in batch: PipelineBatch) -> Int {
    let waiting = outstanding - batch.promises.count
    return Self.batchLimit - replyByteCount - batch.promisedByteCount
      - waiting * Self.refusalSize
  }
}

/// The bytes promised to the replies of a batch.
struct PipelineBatch {
  struct Promise {
    var byteCount: Int
    /// The bytes that the call must keep.
    let bound: Int
  }

  /// Indexed by the positions of running calls.
  private(set) var promises: [Int: Promise] = [:]
  /// The sum of all promises.
  private(set) var promisedByteCount = 0
  /// Whether a reply did not fit.
  ///
  /// No further call of the batch is executed.
  var isFull = false

  mutating func promise(_ byteCount: Int, bound: Int, to index: Int) {
    promises[index] = Promise(byteCount: byteCount, bound: bound)
    promisedByteCount += byteCount
  }

  /// Takes back the promise to a running call beyond its bound.
  mutating func lower(_ index: Int) {
    guard let promise = promises[index] else { return }
    promisedByteCount -= promise.byteCount - promise.bound
    promises[index]?.byteCount = promise.bound
  }

  mutating func release(_ index: Int) {
    promisedByteCount -= promises.removeValue(forKey: index)?.byteCount ?? 0
  }
}
