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
  private(set) var outstanding = 0
  /// The running calls that no other call waits for.
  var asides: [Int] = []
  /// The first reply, beside the others since nearly all units have only one.
  private var firstReply: [UInt8]?
  private var otherReplies: [[UInt8]?] = []
  /// The number of calls, with the answered ones.
  private var callCount = 0
  /// The size of the available replies in bytes.
  private(set) var replyByteCount = 0

  init(batch: PipelineBatch? = nil, byteCount: Int) {
    self.batch = batch
    self.byteCount = byteCount
  }

  /// Adds a call that is not answered.
  ///
  /// - Returns: Its index.
  mutating func addCall() -> Int {
    outstanding += 1
    return add(nil)
  }

  /// Adds the reply to a call that can't be executed.
  mutating func add(reply: [UInt8]) {
    replyByteCount += reply.count + 1
    _ = add(reply)
  }

  private mutating func add(_ reply: [UInt8]?) -> Int {
    if callCount == 0 { firstReply = reply } else { otherReplies.append(reply) }
    callCount += 1
    return callCount - 1
  }

  /// Whether only calls that no other call waits for are unanswered.
  var isOvertakable: Bool { outstanding > 0 && outstanding == asides.count }

  /// Whether the call with an index may be running.
  func awaits(_ index: Int) -> Bool {
    guard outstanding > 0, 0..<callCount ~= index else { return false }
    return (index == 0 ? firstReply : otherReplies[index - 1]) == nil
  }

  /// - Returns: Whether no other call waited for this one.
  mutating func complete(_ index: Int, _ reply: [UInt8]?, byteCount: Int) -> Bool {
    if index == 0 { firstReply = reply } else { otherReplies[index - 1] = reply }
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
    guard batch != nil else { return firstReply }
    return RPCReply.batch(([firstReply] + otherReplies).compactMap(\.self))
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
