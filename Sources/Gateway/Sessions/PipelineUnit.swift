import Channels
import ParleyProtocol

/// A request by itself, or a batch, whose replies leave as one.
struct PipelineUnit {
  /// The budget of a batch's replies.
  private static let batchLimit = Limits.answerByteCount
  /// Room for the reply to a call that is refused.
  static let refusalSize = 512

  /// `nil` for a request by itself.
  var batch: PipelineBatch?
  /// The memory of the request, until it is answered.
  let byteCount: Int
  var outstanding = 0
  /// The calls under way that none waits for.
  var asides: [Int] = []
  var replies: [[UInt8]?] = []
  /// Bytes of the replies that are there.
  var replyByteCount = 0

  /// Whether it waits for nothing but calls that none waits for.
  var isOvertakable: Bool { outstanding > 0 && outstanding == asides.count }

  /// Whether a call of an index can be under way.
  func awaits(_ index: Int) -> Bool {
    outstanding > 0 && replies.indices.contains(index) && replies[index] == nil
  }

  /// - Returns: Whether no other call waits for this one.
  mutating func complete(_ index: Int, _ reply: [UInt8]?, byteCount: Int) -> Bool {
    replies[index] = reply
    replyByteCount += byteCount
    outstanding -= 1
    batch?.release(index)
    guard let place = asides.firstIndex(of: index) else { return false }
    asides.remove(at: place)
    return true
  }

  /// Has no other call wait for one that is under way.
  ///
  /// - Returns: Whether others waited for it.
  mutating func pass(_ index: Int) -> Bool {
    // In a batch, calls under way are those that were promised something.
    let isRunning = outstanding > 0 && batch.map { $0.promises[index] != nil } ?? true
    guard isRunning, !asides.contains(index) else { return false }
    asides.append(index)
    batch?.lower(index)
    return true
  }

  /// The reply, once all is there.
  var joinedReply: [UInt8]? {
    guard batch != nil else { return replies[0] }
    return RPCReply.batch(replies.compactMap(\.self))
  }

  /// The rest of a batch's budget, beside a refusal for each call that has not begun.
  func room(in batch: PipelineBatch) -> Int {
    let waiting = outstanding - batch.promises.count
    return Self.batchLimit - replyByteCount - batch.promisedByteCount
      - waiting * Self.refusalSize
  }
}

/// Bytes promised to the replies of a batch.
struct PipelineBatch {
  struct Promise {
    var byteCount: Int
    /// The bytes that must be left to the call.
    let bound: Int
  }

  /// By the index of a call under way.
  private(set) var promises: [Int: Promise] = [:]
  /// All promises together.
  private(set) var promisedByteCount = 0
  /// Whether a reply did not fit: no further call of the batch is carried out.
  var isFull = false

  mutating func promise(_ byteCount: Int, bound: Int, to index: Int) {
    promises[index] = Promise(byteCount: byteCount, bound: bound)
    promisedByteCount += byteCount
  }

  /// Takes back what goes beyond the bound of a call under way.
  mutating func lower(_ index: Int) {
    guard let promise = promises[index] else { return }
    promisedByteCount -= promise.byteCount - promise.bound
    promises[index]?.byteCount = promise.bound
  }

  mutating func release(_ index: Int) {
    promisedByteCount -= promises.removeValue(forKey: index)?.byteCount ?? 0
  }
}
