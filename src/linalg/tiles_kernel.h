// tiles_kernel.h: the loops of tiles.c for one kind of processor. Included there once for each, with
//
//     NAME(x)              the name of a function of this kind
//     TARGET               what allows its instructions
//     VEC, LOAD, STORE, FILL, ADD_PRODUCT(a, x, y) = a + x y, TAKE_PRODUCT(a, x, y) = a - x y, TAKE(a, b) = a - b,
//     TIMES
//                          eight doubles, and what is done with them
//     ROWS, COLS           of a tile, as many as registers hold
#define INLINE static inline __attribute__((always_inline)) TARGET

// v eights of rows and n columns of C -= X Y'.
INLINE void NAME(tile)(const int v, const int n, int k, const double* X, size_t ldx, const double* Y, size_t ldy,
                       double* C, size_t ldc) {
    VEC sum[ROWS / 8][COLS];
    for (int i = 0; i < v; i++) {
        for (int j = 0; j < n; j++) sum[i][j] = FILL(0);
    }
    for (int t = 0; t < k; t++, X += ldx, Y += ldy) {
        VEC x[ROWS / 8];
        for (int i = 0; i < v; i++) x[i] = LOAD(X + 8 * i);
        for (int j = 0; j < n; j++) {
            const VEC y = FILL(Y[j]);
            for (int i = 0; i < v; i++) sum[i][j] = ADD_PRODUCT(sum[i][j], x[i], y);
        }
    }
    for (int j = 0; j < n; j++, C += ldc) {
        for (int i = 0; i < v; i++) STORE(C + 8 * i, TAKE(LOAD(C + 8 * i), sum[i][j]));
    }
}

// As many eights of rows as are left, up to a tile.
INLINE void NAME(rows)(int left, const int n, int k, const double* X, size_t ldx, const double* Y, size_t ldy,
                       double* C, size_t ldc) {
    if (left > 16 && ROWS >= 24) {
        NAME(tile)(ROWS / 8, n, k, X, ldx, Y, ldy, C, ldc);
    } else if (left > 8 && ROWS >= 16) {
        NAME(tile)(ROWS >= 16 ? 2 : 1, n, k, X, ldx, Y, ldy, C, ldc);
    } else {
        NAME(tile)(1, n, k, X, ldx, Y, ldy, C, ldc);
    }
}

TARGET static void NAME(subtract)(bool lower, int m, int n, int k, const double* X, size_t ldx, const double* Y,
                                  size_t ldy, double* C, size_t ldc) {
    for (int j = 0; j < n;) {
        const int columns = n - j >= COLS ? COLS : 1;
        for (int i = lower ? j / 8 * 8 : 0; i < m; i += ROWS) {
            double* at = C + (size_t)j * ldc + i;
            if (columns == COLS) {
                NAME(rows)(m - i, COLS, k, X + i, ldx, Y + j, ldy, at, ldc);
            } else {
                NAME(rows)(m - i, 1, k, X + i, ldx, Y + j, ldy, at, ldc);
            }
        }
        j += columns;
    }
}

// Rows or columns of one panel of k, side by side; 0 beyond the last.
INLINE void NAME(pack)(int count, const int width, int k, const double* from, size_t ld, double* to) {
    for (int t = 0; t < k; t++, from += ld, to += width) {
        for (int i = 0; i < width; i++) to[i] = i < count ? from[i] : 0;
    }
}

// A tile at the right edge of C: by way of a square of its own.
TARGET static void NAME(edge)(int rows, int columns, int k, const double* X, const double* Y, double* C, size_t ldc) {
    double part[ROWS * COLS];
    for (int e = 0; e < ROWS * COLS; e++) part[e] = 0;
    NAME(tile)(ROWS / 8, COLS, k, X, ROWS, Y, COLS, part, ROWS);
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++) C[(size_t)j * ldc + (size_t)i] += part[j * ROWS + i];
    }
}

TARGET static void NAME(subtract_packed)(bool lower, int m, int n, int k, const double* X, size_t ldx, const double* Y,
                                         size_t ldy, double* C, size_t ldc, double* room) {
    double* rows = room + STI_TILES_STRIP * STI_TILES_DEPTH;
    for (int t = 0; t < k; t += STI_TILES_DEPTH) {
        const int depth = k - t < STI_TILES_DEPTH ? k - t : STI_TILES_DEPTH;
        for (int j = 0; j < n; j += COLS) NAME(pack)
        (n - j < COLS ? n - j : COLS, COLS, depth, Y + (size_t)t * ldy + j, ldy, room + (size_t)j * (size_t)depth);
        for (int i = 0; i < m; i += ROWS) {
            const int left = m - i < ROWS ? m - i : ROWS, end = lower && i + left < n ? i + left : n;
            NAME(pack)(left, ROWS, depth, X + (size_t)t * ldx + i, ldx, rows);
            for (int j = 0; j < end; j += COLS) {
                double* at = C + (size_t)j * ldc + i;
                const double* y = room + (size_t)j * (size_t)depth;
                if (left == ROWS && j + COLS <= n) {
                    NAME(tile)(ROWS / 8, COLS, depth, rows, ROWS, y, COLS, at, ldc);
                } else {
                    NAME(edge)(left, n - j < COLS ? n - j : COLS, depth, rows, y, at, ldc);
                }
            }
        }
    }
}

INLINE void NAME(eliminate_width)(const int width, const int first, const int end, int rows, double* P, size_t ld,
                                  const double* f, const double* inverse, double* Z, size_t ldz) {
    for (int i = 0; i < rows; i += 8) {
        VEC c[8];
        for (int s = 0; s < width; s++) c[s] = LOAD(P + (size_t)s * ld + i);
        for (int t = 0; t < width; t++) {
            for (int s = t + 1; s < width; s++) c[s] = TAKE_PRODUCT(c[s], c[t], FILL(f[8 * s + t]));
        }
        for (int s = 0; s < width; s++) {
            if (s >= first && s < end) {
                STORE(Z + (size_t)(s - first) * ldz + i, c[s]);
                STORE(P + (size_t)s * ld + i, TIMES(c[s], FILL(inverse[s])));
            } else {
                STORE(P + (size_t)s * ld + i, c[s]);
            }
        }
    }
}

TARGET static void NAME(eliminate)(int width, int first, int end, int rows, double* P, size_t ld, const double* f,
                                   const double* inverse, double* Z, size_t ldz) {
    if (width == 8 && first == 0 && end == 8) {
        NAME(eliminate_width)(8, 0, 8, rows, P, ld, f, inverse, Z, ldz);
    } else if (width == 8) {
        NAME(eliminate_width)(8, first, end, rows, P, ld, f, inverse, Z, ldz);
    } else {
        NAME(eliminate_width)(width, first, end, rows, P, ld, f, inverse, Z, ldz);
    }
}

INLINE double NAME(sum)(VEC a) {
    double x[8];
    STORE(x, a);
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

TARGET static void NAME(solve)(const double* L, const double* inverse, int k, double* x) {
    const int end = (k + 7) / 8 * 8;
    for (int g = 0; g < end; g += 8) {
        for (int t = 0; t < 7; t++) {
            for (int s = t + 1; s < 8; s++) x[g + s] -= L[8 * t + s] * x[g + t];
        }
        L += 64;
        for (int i = g + 8; i < end; i += 8, L += 64) {
            VEC even = LOAD(x + i), odd = FILL(0);
            for (int t = 0; t < 8; t += 2) {
                even = TAKE_PRODUCT(even, LOAD(L + 8 * t), FILL(x[g + t]));
                odd = ADD_PRODUCT(odd, LOAD(L + 8 * t + 8), FILL(x[g + t + 1]));
            }
            STORE(x + i, TAKE(even, odd));
        }
    }
    for (int j = 0; j < k; j++) x[j] *= inverse[j];
    for (int g = end - 8; g >= 0; g -= 8) {
        L -= 8 * (end - g);
        VEC sum[8];
        for (int t = 0; t < 8; t++) sum[t] = FILL(0);
        for (int i = g + 8; i < end; i += 8) {
            const VEC at = LOAD(x + i);
            for (int t = 0; t < 8; t++) sum[t] = ADD_PRODUCT(sum[t], LOAD(L + 8 * (i - g + t)), at);
        }
        for (int t = 7; t >= 0; t--) {
            double part = NAME(sum)(sum[t]);
            for (int s = t + 1; s < 8; s++) part += L[8 * t + s] * x[g + s];
            x[g + t] -= part;
        }
    }
}

TARGET static void NAME(multiply)(int rows, int cols, const double* A, double f, const double* x, double* y) {
    for (int i = 0; i < rows; i++, A += cols) {
        VEC even = FILL(0), odd = FILL(0);
        double rest = 0;
        int j = 0;
        for (; j + 16 <= cols; j += 16) {
            even = ADD_PRODUCT(even, LOAD(A + j), LOAD(x + j));
            odd = ADD_PRODUCT(odd, LOAD(A + j + 8), LOAD(x + j + 8));
        }
        for (; j + 8 <= cols; j += 8) even = ADD_PRODUCT(even, LOAD(A + j), LOAD(x + j));
        for (; j < cols; j++) rest += A[j] * x[j];
        y[i] += f * (NAME(sum)(even) + NAME(sum)(odd) + rest);
    }
}

TARGET static void NAME(multiply_transposed)(int rows, int cols, const double* A, double f, const double* y,
                                             double* x) {
    int j = 0;
    for (; j + 8 <= cols; j += 8) {
        VEC sum = LOAD(x + j);
        const double* a = A + j;
        for (int i = 0; i < rows; i++, a += cols) sum = ADD_PRODUCT(sum, LOAD(a), FILL(f * y[i]));
        STORE(x + j, sum);
    }
    for (; j < cols; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++) sum += A[(size_t)i * (size_t)cols + (size_t)j] * y[i];
        x[j] += f * sum;
    }
}

TARGET static void NAME(lanes_pivot)(double* a, size_t order, size_t j, size_t reach, const double* inverse) {
    double* column = a + 8 * order * j;
    const VEC by = LOAD(inverse);
    for (size_t s = j + 1; s < reach; s++) {
        const VEC f = TIMES(LOAD(column + 8 * s), by);
        double* to = a + 8 * order * s;
        for (size_t i = s; i < reach; i++) STORE(to + 8 * i, TAKE_PRODUCT(LOAD(to + 8 * i), LOAD(column + 8 * i), f));
        STORE(column + 8 * s, f);
    }
}

TARGET static void NAME(lanes_forward)(const double* L, int order, int k, double* z) {
    for (int j = 0; j < k; j++) {
        const VEC f = LOAD(z + 8 * j);
        for (int i = j + 1; i < order; i++, L += 8) STORE(z + 8 * i, TAKE_PRODUCT(LOAD(z + 8 * i), LOAD(L), f));
    }
}

TARGET static void NAME(lanes_backward)(const double* L, const double* inverse, int order, int k, double* z) {
    for (int j = 0; j < k; j++) L += 8 * (order - 1 - j);
    for (int j = k - 1; j >= 0; j--) {
        VEC sum = TIMES(LOAD(z + 8 * j), LOAD(inverse + 8 * j));
        for (int i = order - 1; i > j; i--) {
            L -= 8;
            sum = TAKE_PRODUCT(sum, LOAD(L), LOAD(z + 8 * i));
        }
        STORE(z + 8 * j, sum);
    }
}

#undef INLINE
