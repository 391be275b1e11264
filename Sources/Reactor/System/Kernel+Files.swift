import CLinux
import Glibc

/// Descriptors.
extension Kernel {
  package static func open(_ path: String, _ flags: Int32, _ mode: UInt32 = 0) -> Int32 {
    Int32(call(.open, -1) { _ in Int(Glibc.open(path, flags, mode)) })
  }

  @discardableResult
  package static func close(_ descriptor: Int32) -> Int32 {
    Int32(call(.close, descriptor) { _ in Int(Glibc.close(descriptor)) })
  }

  static func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

  package static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    call(.read, descriptor, count) { Glibc.read(descriptor, buffer, $0) }
  }

  package static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    call(.write, descriptor, count) { Glibc.write(descriptor, bytes, $0) }
  }

  /// Writes all the bytes to a file; on failure, any number of them may have been written.
  ///
  /// - Parameter path: The file's name in errors.
  package static func write(
    all bytes: [UInt8], to descriptor: Int32, named path: String
  ) throws(SystemError) {
    var written = 0
    try write(all: bytes, to: descriptor, named: path, written: &written)
  }

  /// Writes all the bytes to a file.
  ///
  /// - Parameters:
  ///   - path: The file's name in errors.
  ///   - written: Incremented by the bytes written, even before a failure.
  package static func write(
    all bytes: [UInt8], to descriptor: Int32, named path: String, written: inout Int
  ) throws(SystemError) {
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        uninterrupted {
          write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        }
      }
      guard count >= 0 else { throw .last("write", on: path) }
      // A file that accepts no bytes without an error would cause an endless loop.
      guard count > 0 else { throw SystemError(call: "write", code: EIO, object: path) }
      written += count
    }
  }
}

/// Files and directories.
extension Kernel {
  package static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int, from offset: Int64
  ) -> Int {
    call(.pread, descriptor, count) { pread(descriptor, buffer, $0, off_t(offset)) }
  }

  @discardableResult
  package static func truncate(_ descriptor: Int32, to byteCount: Int64) -> Int32 {
    Int32(call(.ftruncate, descriptor) { _ in Int(ftruncate(descriptor, off_t(byteCount))) })
  }

  package static func synchronize(_ descriptor: Int32) -> Int32 {
    Int32(call(.fsync, descriptor) { _ in Int(fsync(descriptor)) })
  }

  /// Writes a part of a file to the disk and waits for that; does not make it durable.
  package static func writeBack(_ descriptor: Int32, from offset: Int64, _ count: Int) -> Int32 {
    Int32(
      call(.writeBack, descriptor, count) { Int(clinux_write_back(descriptor, offset, Int64($0))) })
  }

  /// Takes or releases the lock of an open file, as flock(2) does.
  package static func lock(_ descriptor: Int32, _ operation: Int32) -> Int32 {
    Int32(call(.flock, descriptor) { _ in Int(flock(descriptor, operation)) })
  }

  package static func rename(_ path: String, to target: String) -> Int32 {
    Int32(call(.rename, -1) { _ in Int(Glibc.rename(path, target)) })
  }

  @discardableResult
  package static func unlink(_ path: String) -> Int32 {
    Int32(call(.unlink, -1) { _ in Int(Glibc.unlink(path)) })
  }

  package static func makeDirectory(_ path: String, _ mode: UInt32) -> Int32 {
    Int32(call(.mkdir, -1) { _ in Int(mkdir(path, mode)) })
  }

  /// The target of a symbolic link, as returned by readlink(2); `nil` if the path is not a link.
  package static func linkTarget(_ path: String) -> String? {
    let capacity = Int(PATH_MAX)
    let target = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = buffer.baseAddress.map { max(0, readlink(path, $0, capacity)) } ?? 0
    }
    return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
  }

  /// The names of the entries of a directory, without `.` and `..`, in unspecified order.
  package static func names(inDirectory path: String) throws(SystemError) -> [String] {
    guard let stream = opendir(path) else { throw .last("opendir", on: path) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
