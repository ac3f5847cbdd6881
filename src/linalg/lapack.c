// lapack.c: BLAS and LAPACK behind a border that lets finite numbers through, and nobody in when there is no room.
#include "linalg/lapack.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "linalg/vector.h"

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy);
void dtrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a, const int* lda,
            double* x, const int* incx);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* lda, const int* ipiv,
             double* b, const int* ldb, int* info);
void dgecon_(const char* norm, const int* n, const double* a, const int* lda, const double* anorm, double* rcond,
             double* work, int* iwork, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info);
void dpocon_(const char* uplo, const int* n, const double* a, const int* lda, const double* anorm, double* rcond,
             double* work, int* iwork, int* info);
void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
            const int* lwork, int* info);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda, double* wr, double* wi,
            double* vl, const int* ldvl, double* vr, const int* ldvr, double* work, const int* lwork, int* info);
void dgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* info);
void dgelsy_(const int* m, const int* n, const int* nrhs, double* a, const int* lda, double* b, const int* ldb,
             int* jpvt, const double* rcond, int* rank, double* work, const int* lwork, int* info);

// Of OpenBLAS, not of BLAS: NULL where another library is linked.
extern void* blas_memory_alloc(int procpos) __attribute__((weak));
extern void blas_memory_free(void* buffer) __attribute__((weak));
extern int openblas_get_parallel(void) __attribute__((weak));  // 0: built without threads

// ---- one at a time

// OpenBLAS built without threads has no locks either: two threads of a program in it at once share a buffer, and a
// triangular solve of one ends in the numbers of the other. Other builds, and other libraries, let everyone in.
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static bool has_a_door(void) {
    return openblas_get_parallel != NULL && openblas_get_parallel() == 0;
}

static void enter(void) {
    if (has_a_door()) pthread_mutex_lock(&door);
}

static void leave(void) {
    if (has_a_door()) pthread_mutex_unlock(&door);
}

// ---- room

// OpenBLAS maps 32 << 22 bytes on x86-64 and ARM, and a few pages more; once mapped, a buffer is kept and used again.
enum { BUFFER_MIB = 128, MARGIN_MIB = 4 };

static bool fits(size_t bytes) {
    void* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    munmap(p, bytes);
    return true;
}

// A buffer serves one thread at a time. Programs that call us from several threads at once make an OpenBLAS with
// threads map more of them, and for those nobody asks.
sti_status sti_lapack_reserve(sti_env* env) {
    static atomic_bool mapped;  // of the process, as the buffers of OpenBLAS are
    if (blas_memory_alloc == NULL || blas_memory_free == NULL || atomic_load(&mapped)) return STI_OK;
    if (!fits((size_t)(BUFFER_MIB + MARGIN_MIB) << 20))
        return STI_FAIL(env, STI_ERR_MEMORY, -1, "no memory for the %d MiB that BLAS works in", BUFFER_MIB);
    enter();
    blas_memory_free(blas_memory_alloc(0));
    leave();
    atomic_store(&mapped, true);
    return STI_OK;
}

// ---- the border

sti_status sti_lapack_status(sti_env* env, int end, const char* format, ...) {
    if (end == STI_LAPACK_DONE) return STI_OK;
    char what[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (end == STI_LAPACK_NOT_FINITE)
        return STI_FAIL(env, STI_ERR_INPUT, -1,
                        "%s: the numbers given are too large or too small: computing with them leaves the range of "
                        "doubles, 1e-308 to 1.8e308",
                        what);
    return STI_FAIL(env, STI_ERR_INTERNAL, end, "%s: LAPACK gave up at %d", what, end);
}

static bool triangle_finite(char triangle, int n, const double* a) {
    for (int j = 0; j < n; j++) {
        const int from = triangle == 'L' ? j : 0, to = triangle == 'L' ? n : j + 1;
        if (!sti_vector_is_finite((size_t)(to - from), a + (size_t)j * (size_t)n + (size_t)from)) return false;
    }
    return true;
}

// ---- factorizations

int sti_lapack_lu(int n, double* a, int* pivot) {
    int info = 0;
    for (int i = 0; i < n; i++) pivot[i] = i + 1;  // rows to exchange in a solve, whatever becomes of this
    if (!sti_vector_is_finite((size_t)n * (size_t)n, a)) return STI_LAPACK_NOT_FINITE;
    enter();
    dgetrf_(&n, &n, a, &n, pivot, &info);
    leave();
    for (int i = 0; i < n && info == 0; i++) {  // it may overflow on its way
        if (!isfinite(a[(size_t)i * (size_t)n + (size_t)i])) info = i + 1;
    }
    return info;
}

int sti_lapack_cholesky(char triangle, int n, double* a) {
    int info = 0;
    if (!triangle_finite(triangle, n, a)) return STI_LAPACK_NOT_FINITE;
    enter();
    dpotrf_(&triangle, &n, a, &n, &info);
    leave();
    return info;
}

static double sane(double rcond, int info) {
    return info == 0 && rcond > 0 ? rcond : 0;  // NaN becomes 0
}

double sti_lapack_lu_rcond(int n, const double* lu, double norm, double* work, int* iwork) {
    double rcond = 0;
    int info = 0;
    if (!isfinite(norm)) return 0;
    enter();
    dgecon_("1", &n, lu, &n, &norm, &rcond, work, iwork, &info);
    leave();
    return sane(rcond, info);
}

double sti_lapack_cholesky_rcond(char triangle, int n, const double* l, double norm, double* work, int* iwork) {
    double rcond = 0;
    int info = 0;
    if (!isfinite(norm)) return 0;
    enter();
    dpocon_(&triangle, &n, l, &n, &norm, &rcond, work, iwork, &info);
    leave();
    return sane(rcond, info);
}

int sti_lapack_symmetric_eigen(bool vectors, int n, double* a, double* w, double* work, int room) {
    int info = 0;
    if (!triangle_finite('L', n, a)) return STI_LAPACK_NOT_FINITE;
    enter();
    dsyev_(vectors ? "V" : "N", "L", &n, a, &n, w, work, &room, &info);
    leave();
    return info;
}

int sti_lapack_eigenvalues(int n, double* a, double* re, double* im, double* work, int room) {
    const int one = 1;
    int info = 0;
    if (!sti_vector_is_finite((size_t)n * (size_t)n, a)) return STI_LAPACK_NOT_FINITE;
    enter();
    dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &room, &info);
    leave();
    return info;
}

int sti_lapack_svd(int m, int n, double* a, double* s, double* u, double* vt, double* work, int room) {
    int info = 0;
    if (!sti_vector_is_finite((size_t)m * (size_t)n, a)) return STI_LAPACK_NOT_FINITE;
    enter();
    dgesvd_("A", "A", &m, &n, a, &m, s, u, &m, vt, &n, work, &room, &info);
    leave();
    return info;
}

int sti_lapack_least_squares(int m, int n, double* a, double* b, int ldb, int* pivot, double rcond, int* rank,
                             double* work, int room) {
    const int one = 1;
    int info = 0;
    *rank = 0;
    if (!sti_vector_is_finite((size_t)m * (size_t)n, a) || !sti_vector_is_finite((size_t)m, b))
        return STI_LAPACK_NOT_FINITE;
    for (int j = 0; j < n; j++) pivot[j] = 0;
    enter();
    dgelsy_(&m, &n, &one, a, &m, b, &ldb, pivot, &rcond, rank, work, &room, &info);
    leave();
    return info;
}

int sti_lapack_least_squares_room(int m, int n) {
    const int one = 1, ldb = m > n ? m : n, ask = -1;
    const double rcond = 0;
    double a = 0, b = 0, best = 0;
    int pivot = 0, rank, info = 0;
    enter();
    dgelsy_(&m, &n, &one, &a, &m, &b, &ldb, &pivot, &rcond, &rank, &best, &ask, &info);
    leave();
    return (int)best;
}

// ---- solves and products

void sti_lapack_lu_solve(char trans, int n, int count, const double* lu, const int* pivot, double* b, int ldb) {
    int info = 0;
    enter();
    dgetrs_(&trans, &n, &count, lu, &n, pivot, b, &ldb, &info);
    leave();
}

void sti_lapack_cholesky_solve(char triangle, int n, int count, const double* l, double* b, int ldb) {
    int info = 0;
    enter();
    dpotrs_(&triangle, &n, &count, l, &n, b, &ldb, &info);
    leave();
}

void sti_blas_gemm(char op_a, char op_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                   int ldb, double beta, double* c, int ldc) {
    enter();
    dgemm_(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
    leave();
}

void sti_blas_gemv(char op, int m, int n, double alpha, const double* a, int lda, const double* x, double beta,
                   double* y) {
    const int one = 1;
    enter();
    dgemv_(&op, &m, &n, &alpha, a, &lda, x, &one, &beta, y, &one);
    leave();
}

void sti_blas_trsv(char op, bool unit, int n, const double* a, int lda, double* x) {
    const int one = 1;
    enter();
    dtrsv_("L", &op, unit ? "U" : "N", &n, a, &lda, x, &one);
    leave();
}

void sti_blas_trsm(char side, char op, bool unit, int m, int n, const double* a, int lda, double* b, int ldb) {
    const double one = 1;
    enter();
    dtrsm_(&side, "L", &op, unit ? "U" : "N", &m, &n, &one, a, &lda, b, &ldb);
    leave();
}
