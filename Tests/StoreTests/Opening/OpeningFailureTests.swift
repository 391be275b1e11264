import Glibc
import Reactor
import TestSupport
import Testing

@testable import Store

@Suite("Opening a store on a failing disk", .onOwnThreads)
struct OpeningFailureTests {
  private let directory = TemporaryDirectory()
  private let kernel = ScriptedKernel()

  private func expectInaccessible(
    _ code: Int32, at path: String, from location: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
  ) {
    let reason = SystemError(call: "", code: code).reason
    #expect(
      throws: StoreError.inaccessible(path: path, reason: reason), sourceLocation: location
    ) {
      try kernel.run(body)
    }
    #expect(kernel.openDescriptors.isEmpty, sourceLocation: location)
  }

  @Test("a lock that cannot be opened or taken is reported, and its file is closed")
  func lockFails() throws {
    try DataDirectory.create(directory.path)
    for (kind, code) in [(SystemCall.open, EMFILE), (.flock, ENOLCK)] {
      kernel.play { $0.kind == kind ? .fail(code) : .pass }
      expectInaccessible(code, at: directory.path + "/lock") {
        _ = try DirectoryLock(directory: directory.path)
      }
    }
  }

  @Test("a lock is held despite signals, and on a disk without room for the process ID")
  func lockHolds() throws {
    try DataDirectory.create(directory.path)
    kernel.play {
      switch $0.kind {
      case .open, .flock: $0.number == 0 ? .fail(EINTR) : .pass
      case .write: .fail(ENOSPC)
      default: .pass
      }
    }
    try kernel.run {
      let lock = try DirectoryLock(directory: directory.path)
      #expect(throws: StoreError.locked(directory: directory.path, processID: 0)) {
        try DirectoryLock(directory: directory.path)
      }
      lock.release()
      #expect(kernel.openDescriptors.isEmpty)
    }
  }

  @Test("a released lock is free while a child between fork and exec still has its file")
  func inheritedLock() throws {
    try DataDirectory.create(directory.path)
    kernel.play { _ in .pass }
    try kernel.run {
      let lock = try DirectoryLock(directory: directory.path)
      // It shares the open file, as a child's copy does.
      let inherited = dup(try #require(kernel.openDescriptors.first))
      defer { close(inherited) }
      lock.release()
      try DirectoryLock(directory: directory.path).release()
    }
  }

  @Test("a directory that cannot be created or synchronized is reported")
  func directoryFails() {
    let nested = directory.path + "/nested"
    kernel.play { $0.kind == .mkdir ? .fail(ENOSPC) : .pass }
    expectInaccessible(ENOSPC, at: directory.path) { try DataDirectory.create(directory.path) }
    kernel.play { $0.kind == .fsync && $0.number == 1 ? .fail(EIO) : .pass }
    expectInaccessible(EIO, at: directory.path) { try DataDirectory.create(nested) }
  }

  @Test("a file system that cannot synchronize directories is accepted")
  func unsupportedSynchronization() throws {
    kernel.play { $0.kind == .fsync ? .fail(EINVAL) : .pass }
    try kernel.run { try DataDirectory.create(directory.path + "/nested") }
    #expect(access(directory.path + "/nested", F_OK) == 0)
  }
}
