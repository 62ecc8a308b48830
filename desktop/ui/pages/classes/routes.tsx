export const classRoutes = []
