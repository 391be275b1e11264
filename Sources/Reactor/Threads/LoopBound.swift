import CLinux

/// Carries a reference through other threads without letting them use it.
///
/// A reply that comes back to an event loop needs the object that asked, which belongs to that
/// loop alone. Other threads may hold and pass on this box; only the thread that made it may open
/// it.
///
/// `@unchecked Sendable` is sound because ``value`` stops the process on any other thread, and
/// reference counts are atomic: the last reference may go on another thread, so what is confined
/// must not need its thread to be torn down.
package struct LoopBound<Value: AnyObject>: @unchecked Sendable {
  private let object: Value
  private let owner: UInt64

  /// Confines an object to the calling thread.
  package init(_ value: Value) {
    object = value
    owner = clinux_thread_id()
  }

  /// The object.
  ///
  /// Only for the thread that confined it.
  package var value: Value {
    precondition(owner == clinux_thread_id(), "a confined object was used on another thread")
    return object
  }
}
